/**
 * Why a sign-in at a provider came to nothing, in words for the person who tried. Who they are was
 * proven first.
 */
export const signInRefusals = {
  not_valid:
    'This sign-in was not begun in this browser, took longer than ten minutes, or was used before. Begin again',
  provider_down: 'The sign-in provider does not answer. Try again, or sign in with a one-time link',
  provider_wrong:
    'What answers at the configured address is not the configured provider. Tell whoever runs this service',
  provider_refused: 'The sign-in provider did not let you in',
  token_refused:
    'What the sign-in provider sent could not be verified. Begin again, and tell whoever runs this service if it stays so',
  no_email: 'The sign-in provider did not say which e-mail address is yours',
  unverified_email:
    'The sign-in provider has not verified that your e-mail address is yours, so it makes you nobody here',
  unknown_person:
    'The project names nobody with your address, and no group of yours fills one of its teams. Ask whoever writes countersign.yaml',
  disabled: 'Your account here is disabled',
  other_account:
    'The person with your address signs in with another account at this provider. Ask somebody with the right managePeople to forget it: countersign people unlink EMAIL',
} as const

export type SignInRefusal = keyof typeof signInRefusals
