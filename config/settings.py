"""The one settings file. Everything that differs between machines is read from the environment, strictly.

TOUCHSTONE_DEMO=1 is the embedded way to run: a secret key kept in the runtime folder, plain HTTP on loopback.
Without it, TOUCHSTONE_SECRET_KEY must be set and cookies travel over HTTPS only.
"""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from config.database import read_blind_role, read_database
from config.demo import PUBLIC_PASSWORD, demo_accounts
from config.env import make_folder, read_bool, read_int, read_list, read_mail, read_sender, read_text
from config.error_tracking import start as start_error_tracking
from config.secrets import demo_secret_key, is_guessable
from config.worker_policy import add_headers

BASE_DIR = Path(__file__).resolve().parent.parent
RUNTIME_DIR = Path(read_text("TOUCHSTONE_RUNTIME_DIR", str(BASE_DIR / ".runtime")))
DEMO = read_bool("TOUCHSTONE_DEMO", False)
DEBUG = read_bool("TOUCHSTONE_DEBUG", False)
DEFAULT_EXCEPTION_REPORTER_FILTER = "config.error_pages.SecretsHidden"

SECRET_KEY = read_text("TOUCHSTONE_SECRET_KEY") or (demo_secret_key(RUNTIME_DIR) if DEMO else "")
if is_guessable(SECRET_KEY):
    raise ImproperlyConfigured(
        "TOUCHSTONE_SECRET_KEY must be set to at least 40 random characters without a pattern "
        "(python3 -c 'import secrets; print(secrets.token_urlsafe(50))'); "
        "only TOUCHSTONE_DEMO=1 makes its own."
    )

ALLOWED_HOSTS = read_list("TOUCHSTONE_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
if not DEMO and DEBUG:
    raise ImproperlyConfigured(
        "TOUCHSTONE_DEBUG shows settings and data to anybody; it needs TOUCHSTONE_DEMO=1."
    )
if not DEMO and any(set(host) <= set("*.") for host in ALLOWED_HOSTS):
    raise ImproperlyConfigured(
        "TOUCHSTONE_ALLOWED_HOSTS must name the site's own hosts; * lets anybody choose the links in its mails."
    )
CSRF_TRUSTED_ORIGINS = read_list("TOUCHSTONE_CSRF_TRUSTED_ORIGINS", [])
SITE_URL = read_text("TOUCHSTONE_SITE_URL", "http://127.0.0.1:8000").rstrip("/")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "config",
    "accounts",
    "benchmark",
    "work",
    "annotation",
    "judging",
    "search",
    "construction",
    "solving",
    "reports",
]

MIDDLEWARE = [
    "config.metrics.RequestTimes",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "reports.records.serving.ServeRecords",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "accounts.site.middleware.SlashForReadersMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.database.sight.BlindUnlessStaff",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.site.middleware.PrivatePagesMiddleware",
    "accounts.site.middleware.FormsOnlyMiddleware",
    "accounts.site.middleware.RequireMfaMiddleware",
    "accounts.site.middleware.NulMiddleware",
    "accounts.site.middleware.MeanwhileMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

FORM_RENDERER = "accounts.site.forms.Renderer"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates", *sorted((BASE_DIR / "benchmark" / "protocols").glob("*/templates"))],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.access.navigation",
                "reports.status.state.banner",
            ],
        },
    },
]

# --- data -------------------------------------------------------------------------------------------------
DATABASE_URL = read_text("DATABASE_URL")
DATABASES = {"default": read_database("DATABASE_URL", RUNTIME_DIR)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"]["CONN_MAX_AGE"] = read_int("TOUCHSTONE_DB_CONN_MAX_AGE", 60)
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Behind a pooler that shares sessions between transactions nothing may outlive a transaction (docs/adr/0029).
TRANSACTION_POOLER = read_bool("TOUCHSTONE_TRANSACTION_POOLER", False)
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = TRANSACTION_POOLER
BLIND_ROLE = read_blind_role("TOUCHSTONE_BLIND_ROLE", DATABASES["default"]["ENGINE"])
if BLIND_ROLE and TRANSACTION_POOLER:
    raise ImproperlyConfigured(
        "TOUCHSTONE_BLIND_ROLE sets a role for a session, and with TOUCHSTONE_TRANSACTION_POOLER sessions are shared: "
        "reviewers would read with the sight of others. Use one of them, or a pooler that pools sessions."
    )
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Celery: the embedded transport is the file system, Redis comes in by CELERY_BROKER_URL -----------------
CELERY_BROKER_URL = read_text("CELERY_BROKER_URL", "filesystem://")
if CELERY_BROKER_URL == "filesystem://":
    _queue = RUNTIME_DIR / "queue"
    for _folder in (_queue / "messages", _queue / "control"):
        make_folder(_folder, "TOUCHSTONE_RUNTIME_DIR")
    CELERY_BROKER_TRANSPORT = "config.file_broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_queue / "messages"),
        "data_folder_out": str(_queue / "messages"),
        "control_folder": str(_queue / "control"),
        "store_processed": False,
        "polling_interval": 0.1,
    }
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600, "socket_timeout": 5}
# Rendering has a queue of its own, so that a worker may be kept for it: judging can hold all others for hours.
CELERY_TASK_QUEUES = [Queue("celery"), Queue("rendering")]  # a worker without --queues serves both
CELERY_TASK_ROUTES = {"benchmark.render": {"queue": "rendering"}}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # for ever: a broker may be away for a night
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(RUNTIME_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "beat-heart": {"task": "reports.beat_heart", "schedule": 30},
    "forget-old-answers": {"task": "accounts.forget_old_answers", "schedule": 24 * 3600},
    "remind-reviewers": {"task": "annotation.remind_due", "schedule": 24 * 3600},
    "tell-reviewers": {"task": "annotation.tell_missed", "schedule": 600},
    "forget-searches": {"task": "search.forget", "schedule": 24 * 3600},
    "build-indexes": {"task": "search.build", "schedule": 60},
    "check-releases": {"task": "search.check", "schedule": 60},
    "end-embargoes": {"task": "reports.end_embargoes", "schedule": 3600},
    "seal-history": {"task": "reports.seal_history", "schedule": 60},
    "look-after-uploads": {"task": "reports.look_after_uploads", "schedule": 60},
    # One message for all queues: several would pile up at a slow broker and hold up the work that they are about.
    "reconcile": {"task": "reports.reconcile", "schedule": read_int("TOUCHSTONE_RECONCILE_SECONDS", 10)},
}

# --- who may come in ----------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.signing_in.backends.MemberBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.ScryptPasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_ADAPTER = "accounts.signing_in.adapter.InvitationOnlyAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"  # the invitation link has proved the address
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # a reset asked for an unknown address sends no mail
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
# By network address these limits leave room for an institute behind one address; what guards an account is its own
# limit. A browser that signed in before has another one (accounts/signing_in/devices.py).
ACCOUNT_RATE_LIMITS = {
    "login": "600/m/ip",
    "login_failed": "100/5m/ip,5/5m/key",
    "login_on_known_device": "20/5m/key",
    "reset_password": "100/5m/ip,5/m/key",  # nosec B105 # a rate
    "reset_password_from_key": "100/5m/ip",  # nosec B105
}
ALLAUTH_TRUSTED_PROXY_COUNT = read_int("TOUCHSTONE_TRUSTED_PROXIES", 0)
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Touchstone"
REQUIRE_MFA = read_bool("TOUCHSTONE_REQUIRE_MFA", not DEMO)

# --- transport and headers ----------------------------------------------------------------------------------
SECURE_COOKIES = read_bool("TOUCHSTONE_SECURE_COOKIES", not DEMO)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_COOKIES
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_ENGINE = "accounts.signing_in.backends"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SECURE_SSL_REDIRECT = SECURE_COOKIES and read_bool("TOUCHSTONE_SSL_REDIRECT", True)
SECURE_HSTS_SECONDS = 31_536_000 if SECURE_COOKIES else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE_COOKIES
if read_bool("TOUCHSTONE_BEHIND_TLS_PROXY", False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_CONTENT_TYPE_NOSNIFF = True
# Not "no-referrer": browsers then send "Origin: null" with every form, which the CSRF check must refuse.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "manifest-src": ["'self'"],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024

# --- label files that people analyse for themselves; a million labels take 50 to 250 MB -----------------------
UPLOAD_DIR = Path(read_text("TOUCHSTONE_UPLOAD_DIR", str(RUNTIME_DIR / "uploads")))
make_folder(UPLOAD_DIR, "TOUCHSTONE_UPLOAD_DIR", mode=0o700)
FILE_UPLOAD_TEMP_DIR = str(UPLOAD_DIR)
ANALYSE_MAX_BYTES = read_int("TOUCHSTONE_ANALYSE_MAX_MB", 256) * 1024 * 1024
IMPORT_MAX_BYTES = read_int("TOUCHSTONE_IMPORT_MAX_MB", 256) * 1024 * 1024
ANALYSE_KEEP_MINUTES = read_int("TOUCHSTONE_ANALYSE_KEEP_MINUTES", 60)

# --- pages --------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
STATIC_URL = "/static/"
STATIC_ROOT = Path(read_text("TOUCHSTONE_STATIC_ROOT", str(RUNTIME_DIR / "static")))
make_folder(STATIC_ROOT, "TOUCHSTONE_STATIC_ROOT")  # whitenoise warns at every start about a missing folder
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": read_text("TOUCHSTONE_STATIC_STORAGE", "config.static_files.CompressedHashedFiles")
    },
}
WHITENOISE_ADD_HEADERS_FUNCTION = add_headers
MEDIA_ROOT = RUNTIME_DIR / "media"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache_entry",
        # It holds the limits on sign-in. With Django's 300 entries somebody who tries many addresses could have the
        # counts of others thrown out.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
    if read_text("TOUCHSTONE_CACHE", "database") == "database"
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}
SAMPLE_DIR = BASE_DIR / "sample"
DEMO_ACCOUNTS = demo_accounts(SAMPLE_DIR) if DEMO else []
DEMO_PASSWORD = PUBLIC_PASSWORD if DEMO else ""

# --- mail ---------------------------------------------------------------------------------------------------
EMAIL_CONFIG = read_mail("TOUCHSTONE_EMAIL_URL", "consolemail://")
EMAIL_BACKEND = "config.mail.NotedBackend"
EMAIL_LEAVES = "smtp" in EMAIL_CONFIG["EMAIL_BACKEND"]  # and is not only printed
EMAIL_HOST = EMAIL_CONFIG.get("EMAIL_HOST") or "localhost"
EMAIL_PORT = EMAIL_CONFIG.get("EMAIL_PORT") or 25
EMAIL_HOST_USER = EMAIL_CONFIG.get("EMAIL_HOST_USER") or ""
EMAIL_HOST_PASSWORD = EMAIL_CONFIG.get("EMAIL_HOST_PASSWORD") or ""
EMAIL_USE_TLS = EMAIL_CONFIG.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = EMAIL_CONFIG.get("EMAIL_USE_SSL", False)
# Seconds: a mail server that never answers holds up neither a request nor a worker for longer.
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = read_sender("TOUCHSTONE_FROM_EMAIL", "touchstone@localhost")

# --- imports of kinds that upper floors bring: (upload, unpacked folder, progress) -> what its page says -----------
IMPORTERS = {"labels": "reports.referees.uploads.import_upload"}

# --- judges: the deployment names the endpoints that may be called, nobody else can add one -----------------
KINDS_OF_WORK = [
    "judging.kind.JUDGING",
    "search.slogans.kind.SLOGANS",
    "construction.builds.kinds.STEPS",
    "construction.builds.kinds.PAPERS",
    "construction.sources.kind.SOURCES",
    "solving.runs.kinds.ASKS",
    "solving.runs.kinds.TOOLS",
]  # what workers do, those first that are served first
JUDGE_ENDPOINTS = read_text("TOUCHSTONE_JUDGE_ENDPOINTS", "")
JUDGE_LEASE_SECONDS = read_int("TOUCHSTONE_JUDGE_LEASE_SECONDS", 30)  # a dead worker's tasks wait this long

# --- reports that workers print: private files, served by a view; all hosts share the folder ------------------
REPORT_DIR = Path(read_text("TOUCHSTONE_REPORT_DIR", str(MEDIA_ROOT / "reports")))
REPORT_LEASE_SECONDS = read_int("TOUCHSTONE_REPORT_LEASE_SECONDS", 120)
REPORT_DAYS = read_int("TOUCHSTONE_REPORT_DAYS", 7)  # how long a printed file is kept

# --- public records: files that anybody may read, written once; all hosts share the folder, backups need it --
RECORD_DIR = Path(read_text("TOUCHSTONE_RECORD_DIR", str(MEDIA_ROOT / "records")))

# --- rows that belong to one person alone: user -> name of the kind -> queryset; exported with their data, and erased
PERSONAL_ROWS = ["search.personal_rows.personal_rows"]
# What else an erasure deletes; a download of one's data shows it in the place where it was typed.
UNFINISHED_ROWS = ["annotation.core.own_data.unfinished_rows"]

# --- search: indexes, made from the database and made again if they are lost; all hosts share the folder ------
# One thread for each product of matrices: a search spends longer on waking threads than on the product.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
EMBEDDING_MODELS = read_text("TOUCHSTONE_EMBEDDING_MODELS", "")
INDEX_DIR = Path(read_text("TOUCHSTONE_INDEX_DIR", str(MEDIA_ROOT / "indexes")))

# --- REST ---------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.rest.auth.AccessTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
        "accounts.rest.auth.ConsoleAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.rest.auth.IsSignedIn"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["accounts.rest.parsers.BoundedJSONParser"],
    "DEFAULT_FILTER_BACKENDS": ["accounts.rest.filters.ListedFilters"],
    "DEFAULT_PAGINATION_CLASS": "accounts.rest.pages.KeyedPagination",
    "PAGE_SIZE": 50,
    "NUM_PROXIES": ALLAUTH_TRUSTED_PROXY_COUNT,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "accounts.rest.errors.explain",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "DESCRIPTION": "Audits of machine-written mathematics: releases, blind expert grades, judges, scores.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "AUTHENTICATION_WHITELIST": [  # what a client over HTTP can use
        "accounts.rest.auth.AccessTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "SERVE_PERMISSIONS": ["accounts.rest.auth.IsStaffOfTheStudy"],
    "ENUM_NAME_OVERRIDES": {
        "AskedStateEnum": "work.serializers.STATES",
        "AttemptOutcomeEnum": "solving.models.Attempt.Outcome",
        "AttemptStateEnum": "solving.models.AttemptState",
        "AnalysisSplitEnum": "reports.analysing.api.SPLITS",
        "ConflictKindEnum": "accounts.models.ConflictKind",
        "ConflictTargetKindEnum": "annotation.models.TargetKind",
        "ImportKindEnum": "benchmark.models.ImportKind",
        "MaterialKindEnum": "solving.models.Material.Kind",
        "ReadingOutcomeEnum": "construction.models.Outcome",
        "RunStateEnum": "work.models.RunState",
        "SettlementVerdictEnum": "benchmark.models.SettlementVerdict",
        "SourceStateEnum": "construction.models.SourceState",
        "TaskStateEnum": "work.models.TaskState",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "accounts.rest.schema.add_refusals",
    ],
}

# --- what is told about the running platform ------------------------------------------------------------------
METRICS_TOKEN = read_text("TOUCHSTONE_METRICS_TOKEN")
if METRICS_TOKEN and len(METRICS_TOKEN) < 20:
    raise ImproperlyConfigured("TOUCHSTONE_METRICS_TOKEN needs at least 20 characters.")
if (
    METRICS_TOKEN
):  # the client library reads this variable when it is imported, and shares counters through files
    _counters = RUNTIME_DIR / "metrics"
    make_folder(_counters, "TOUCHSTONE_RUNTIME_DIR")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(_counters)
if ERROR_TRACKER := read_text("TOUCHSTONE_SENTRY_DSN"):
    start_error_tracking(ERROR_TRACKER)

LOG_FORMAT = read_text("TOUCHSTONE_LOG_FORMAT", "plain")
if LOG_FORMAT not in ("plain", "json"):
    raise ImproperlyConfigured(f"TOUCHSTONE_LOG_FORMAT={LOG_FORMAT!r}: expected plain or json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "config.logs.Plain",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
        "json": {
            "()": "config.logs.Json",
            "format": "{asctime}{levelname}{name}{message}",
            "style": "{",
            "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
        },
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "loggers": {
        "weasyprint": {"level": "ERROR"},  # it warns about every rule that is for screens only
        "httpcore2": {"level": "WARNING"},  # its trace writes headers, where a server may echo a key
    },
    "root": {"handlers": ["stderr"], "level": read_text("TOUCHSTONE_LOG_LEVEL", "WARNING")},
}
