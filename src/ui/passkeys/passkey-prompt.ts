import type * as browserLibrary from '@simplewebauthn/browser'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser'

/**
 * Asks the browser for a passkey's signature. Rejects as `navigator.credentials.get` does if the
 * prompt is closed; `answerWords` makes a sentence of that. `signal` closes it; `null`: only the
 * person does.
 */
export function askPasskey(
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
  signal: AbortSignal | null,
): Promise<AuthenticationResponseJSON> {
  return prompt(({ startAuthentication }) => startAuthentication({ optionsJSON }), signal)
}

/** Asks the browser for a new passkey, as `askPasskey` for a signature. */
export function makePasskey(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
  signal: AbortSignal,
): Promise<RegistrationResponseJSON> {
  return prompt(({ startRegistration }) => startRegistration({ optionsJSON }), signal)
}

async function prompt<Answer>(
  open: (browser: typeof browserLibrary) => Promise<Answer>,
  signal: AbortSignal | null,
): Promise<Answer> {
  const browser = await import('@simplewebauthn/browser')
  signal?.throwIfAborted()
  const close = (): void => browser.WebAuthnAbortService.cancelCeremony()
  signal?.addEventListener('abort', close)
  try {
    return await open(browser)
  } finally {
    signal?.removeEventListener('abort', close)
  }
}

/**
 * Why no passkey signed, as a sentence. A browser without a passkey of the person reports the same
 * as a closed prompt.
 */
export function answerWords(error: unknown): string {
  if (!isClosed(error)) return promptWords(error)
  return 'The passkey prompt was closed or took too long, or this device has none of your passkeys. Try again.'
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && /^(NotAllowed|Abort)Error$/.test(error.name)
}

/**
 * Why a prompt for a passkey failed, or the service's refusal, as a sentence. A closed prompt is no
 * error.
 */
export function promptWords(error: unknown): string {
  if (!(error instanceof Error)) return 'The passkey gave no answer.'
  if (isClosed(error)) return 'The passkey prompt was closed, or took too long. Try again.'
  if (error.name === 'InvalidStateError') return 'This device already has a passkey of yours.'
  if (error.name === 'SecurityError') {
    return 'Passkeys belong to the public address of the service: open the dashboard there.'
  }
  return error.message
}
