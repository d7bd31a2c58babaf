"""Forms of the profile, of the staff's pages about people, and of accepting an invitation."""

import re
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.validators import validate_email

from accounts.models import Confidence, ConflictKind, Credit, RoleName, TokenScope, User
from accounts.profile.tokens import DAYS, MOST_DAYS

DOMAIN_LIST = "domains"  # the id of the page's datalist


class NameForm(forms.Form):
    name = forms.CharField(
        max_length=200, label="Name", widget=forms.TextInput(attrs={"autocomplete": "name"})
    )


class ExpertiseForm(forms.Form):
    """A domain and the confidence claimed in it."""

    domain = forms.CharField(
        max_length=100, label="Domain", widget=forms.TextInput(attrs={"list": DOMAIN_LIST})
    )
    confidence = forms.TypedChoiceField(
        label="Confidence", choices=Confidence.choices, coerce=int, initial=Confidence.WORKING
    )


class ConflictForm(forms.Form):
    """A person or thing whose work the user should not judge, in their own words."""

    kind = forms.ChoiceField(label="With a", choices=ConflictKind.choices)
    key = forms.CharField(
        max_length=200,
        label="Name or identifier",
        help_text="For example a company, a model, a colleague, a university, or an identifier such as "
        "2401.01234. A coordinator reads it and decides what it excludes.",
    )
    reason = forms.CharField(max_length=500, required=False, label="Reason")


class PreferencesForm(forms.Form):
    """Workload, absence, and how the person is thanked."""

    capacity = forms.IntegerField(
        label="Unfinished items at a time",
        min_value=1,
        max_value=1000,
        required=False,
        help_text="A plan never gives you more than this in one campaign. Empty: no limit.",
    )
    away_until = forms.DateField(
        label="Away until",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="Plans assign you nothing up to and including this day.",
    )
    credit = forms.ChoiceField(
        label="Thank me in reports",
        choices=Credit.choices,
        help_text="Your grades never carry your name, whatever you choose here.",
    )
    pseudonym = forms.CharField(label="Pseudonym", max_length=100, required=False)
    reminders = forms.BooleanField(label="Remind me by email of items that are due", required=False)


class PasswordAgainForm(forms.Form):
    """The password again, for actions for which a session alone must not be enough."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class TokenForm(PasswordAgainForm):
    """A new access token."""

    label = forms.CharField(max_length=100, label="Purpose", help_text="For example: notebook.")
    scope = forms.ChoiceField(label="It may", choices=TokenScope.choices, initial=TokenScope.READ)
    days = forms.IntegerField(
        label="Valid for (days)",
        min_value=1,
        max_value=MOST_DAYS,
        initial=DAYS,
        help_text=f"At most {MOST_DAYS}.",
    )
    field_order = ("label", "scope", "days", "password")


MOST_INVITED = 100
_ADDRESS = re.compile(r"[^\s,;<>\"'|]+@[^\s,;<>\"'|]*")


class InvitationForm(forms.Form):
    """Addresses, as people copy them from a mail program or a table, and a role that the inviter may grant."""

    emails = forms.CharField(
        label="Email addresses",
        max_length=30_000,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off", "spellcheck": "false"}),
        help_text=f"One or more, with or without names, for example copied from a table. At most {MOST_INVITED}.",
    )
    role = forms.ChoiceField(label="Role")

    def __init__(self, *args: Any, gift: frozenset[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        roles = [choice for choice in RoleName.choices if choice[0] in gift]
        self.fields["role"] = forms.ChoiceField(label="Role", choices=roles)

    def clean_emails(self) -> list[str]:
        """Every address once, in order; a line without one is refused, unless it is the heading of a table."""
        found: dict[str, None] = {}
        for number, line in enumerate(self.cleaned_data["emails"].splitlines(), start=1):
            addresses = [address.rstrip(".").lower() for address in _ADDRESS.findall(line)]
            heading = number == 1 and "mail" in line.lower()
            if line.strip() and not addresses and not heading:
                self.add_error("emails", f"Line {number} has no email address.")
            for address in addresses:
                try:
                    validate_email(address)
                except forms.ValidationError:
                    self.add_error("emails", f"Line {number}: {address} is not an email address.")
                found[address] = None
        if len(found) > MOST_INVITED:
            self.add_error(
                "emails", f"These are {len(found)} addresses; invite at most {MOST_INVITED} at a time."
            )
        if not found:
            self.add_error("emails", "There is no email address here.")
        return list(found)


class ReasonForm(forms.Form):
    """Why; it goes into the audit trail."""

    reason = forms.CharField(max_length=1000, required=False, label="Reason (for the audit trail)")


class JoinForm(forms.Form):
    """Name and password of the person who accepts an invitation."""

    name = forms.CharField(
        max_length=200, label="Your name", widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 10 characters; several unrelated words work well.",
    )
    again = forms.CharField(
        label="Repeat the password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, email: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._email = email

    def clean(self) -> None:
        super().clean()
        cleaned = self.cleaned_data
        password = cleaned.get("password", "")
        if password and password != cleaned.get("again"):
            self.add_error("again", "The two passwords are different.")
        if password:
            try:
                validate_password(password, User(email=self._email, name=cleaned.get("name", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)


class FirstDomainForm(ExpertiseForm):
    """One line of the domains stated on joining; an empty line is left out."""

    use_required_attribute = False


class FirstDomains(forms.BaseFormSet):
    """Domains stated on joining, each once."""

    def clean(self) -> None:
        if any(self.errors):
            return
        domains = [form.cleaned_data["domain"] for form in self.forms if form.has_changed()]
        if len(set(domains)) < len(domains):
            raise forms.ValidationError("A domain is listed twice.")

    def stated(self) -> dict[str, int]:
        """Domain to confidence."""
        return {
            form.cleaned_data["domain"]: form.cleaned_data["confidence"]
            for form in self.forms
            if form.cleaned_data.get("domain")
        }


FirstDomainFormSet = forms.formset_factory(FirstDomainForm, formset=FirstDomains, extra=3, max_num=20)
