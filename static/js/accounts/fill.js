/* The demo's sign-in page: a button fills the form with the account that it names. */

const form = document.getElementById("sign-in");

for (const button of document.querySelectorAll("button[data-fill]")) {
  button.addEventListener("click", () => {
    form.elements.login.value = button.dataset.fill;
    form.elements.password.value = button.dataset.password;
    form.querySelector("button[type=submit]").focus();
  });
}
