import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'

/**
 * Asks the browser for a passkey's signature. Rejects as `navigator.credentials.get` does if the
 * prompt is closed; `promptWords` makes a sentence of that.
 */
export async function askPasskey(
  optionsJSON: PublicKeyCredentialRequestOptionsJSON,
): Promise<AuthenticationResponseJSON> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  return startAuthentication({ optionsJSON })
}

/** Why there is no signature, or its refusal, as a sentence. Closing is not an error. */
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
