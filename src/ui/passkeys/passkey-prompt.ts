import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'

/**
 * Has the browser ask for a passkey and returns what it signed. Rejects as
 * `navigator.credentials.get` does when the prompt is closed; `promptWords` says that in words.
 */
export async function askPasskey(
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  return startAuthentication({ optionsJSON })
}

/**
 * Why a passkey gave no answer, or the service took none, as a sentence. A prompt that was left is
 * no failure of anybody's.
 */
export function promptWords(error: unknown): string {
  if (!(error instanceof Error)) return 'The passkey gave no answer.'
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') {
    return 'The passkey prompt was closed, or took too long. Try again.'
  }
  if (error.name === 'InvalidStateError') return 'This device already has a passkey of yours.'
  if (error.name === 'SecurityError') {
    return 'Passkeys belong to the public address of the service: open the dashboard there.'
  }
  return error.message
}
