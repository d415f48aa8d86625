/** Why a sign-in at a provider failed. Only a person who has proved their identity reads it. */
export const signInRefusals = {
  not_valid:
    'This sign-in was not started in this browser, took longer than ten minutes, or was used before. Start again',
  provider_down: 'The sign-in provider does not answer. Try again, or sign in with a one-time link',
  provider_wrong:
    'The server at the configured address is not the configured provider. Tell the people who run this service',
  secret_missing:
    'This service has no secret for the sign-in provider. Tell the people who run it, or sign in with a one-time link',
  provider_refused: 'The sign-in provider did not let you in',
  token_refused:
    'The response of the sign-in provider could not be verified. Start again; if it fails again, tell the people who run this service',
  token_not_valid:
    'This access token is not valid here: it has expired, is not of the sign-in provider, or was not issued for this address',
  client_revoked: 'This client was revoked on your account page',
  not_bound:
    'Nobody has signed in here with the account of this token: sign in at the provider once',
  no_email: 'The sign-in provider did not say which e-mail address is yours',
  unverified_email:
    'The sign-in provider has not verified your e-mail address, so you cannot sign in with it here',
  unknown_person:
    'The project does not name your address, and none of your groups fills one of its teams. Ask the people who maintain countersign.yaml',
  disabled: 'Your account here is disabled',
  other_account:
    'The person with your address signs in with another account at this provider. Ask somebody with the right managePeople to forget it: countersign people unlink EMAIL',
} as const

export type SignInRefusal = keyof typeof signInRefusals
