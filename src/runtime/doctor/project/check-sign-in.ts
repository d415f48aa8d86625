import { openIdProviders } from '#delivery/oidc/open-id-provider.ts'
import { newFlow } from '#services/access/oidc/sign-in-flow.ts'
import { ProviderFailure } from '#services/access/oidc/identity-provider.ts'
import { loadProject } from '#services/policy/read-project.ts'
import type { Check } from '../target/check.ts'

/** The sign-in provider answers with the right identity. Without one there is no finding. */
export const checkSignIn: Check = async ({ folders, environment }) => {
  const loaded = await loadProject(folders.projectDir)
  const settings = 'problems' in loaded ? null : loaded.policy.config.signIn.oidc
  if (settings === null) return []
  try {
    // Reads the provider's metadata only; nobody signs in. `checkProject` names a missing secret.
    await openIdProviders(environment)({ ...settings, clientSecretFrom: null }).authorizationUrl(
      newFlow().secrets,
      settings.issuer,
    )
    return [{ check: 'sign-in', state: 'ok', found: `${settings.issuer} answers from here` }]
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const finding =
      error.why === 'provider_wrong'
        ? `the server at ${settings.issuer} has another issuer name`
        : `${settings.issuer} does not answer as a sign-in provider (${error.code})`
    const remedy =
      'write signIn.oidc.issuer in countersign.yaml as its /.well-known/openid-configuration does; one-time links work meanwhile'
    return [{ check: 'sign-in', state: 'warning', found: finding, remedy }]
  }
}
