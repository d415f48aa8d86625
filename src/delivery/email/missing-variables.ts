import type { Policy, ProjectProblem } from '#policy/policy.ts'
import { placeOfSource } from '#policy/reading/report.ts'

/**
 * Returns a warning for each variable of the mail server that is not set; `check` and `doctor` show
 * them.
 */
export function warnOfMissingMailVariables(
  policy: Policy,
  environment: Readonly<Record<string, string | undefined>>,
): readonly ProjectProblem[] {
  const { email } = policy.config
  if (email === null) return []
  const { userFrom, passwordFrom } = email.smtp
  return [userFrom, passwordFrom]
    .filter((name) => name !== null && !environment[name])
    .map((name): ProjectProblem => ({
      ...placeOfSource(email.source),
      problem: `mail is sent with ${name}, which is not set`,
      remedy: `set ${name} in the API's environment, or in .env beside countersign.yaml`,
      severity: 'warning',
    }))
}
