import type { Policy, ProjectProblem } from '#policy/policy.ts'
import { placeOfSource } from '#policy/reading/report.ts'

/**
 * Returns a warning when the sign-in provider's client secret is not set; `check` and `doctor` show
 * it.
 */
export function warnOfMissingClientSecret(
  policy: Policy,
  environment: Readonly<Record<string, string | undefined>>,
): readonly ProjectProblem[] {
  const { oidc } = policy.config.signIn
  const name = oidc?.clientSecretFrom ?? null
  if (oidc === null || name === null || environment[name]?.trim()) return []
  return [
    {
      ...placeOfSource(oidc.source),
      problem: `people sign in with the client secret in ${name}, which is not set`,
      remedy: `set ${name} in the API's environment, or in .env beside countersign.yaml`,
      severity: 'warning',
    },
  ]
}
