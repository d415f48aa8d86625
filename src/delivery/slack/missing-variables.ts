import type { Policy, ProjectProblem } from '#policy/policy.ts'
import { placeOfSource } from '#policy/reading/report.ts'

/** Returns a warning for each secret of Slack that is not set; `check` and `doctor` show them. */
export function warnOfMissingSlackVariables(
  policy: Policy,
  environment: Readonly<Record<string, string | undefined>>,
): readonly ProjectProblem[] {
  const { slack } = policy.config
  if (slack === null) return []
  return [slack.tokenFrom, slack.signingSecretFrom]
    .filter((name) => !environment[name])
    .map((name): ProjectProblem => ({
      ...placeOfSource(slack.source),
      problem: `Slack is asked with ${name}, which is not set`,
      remedy: `set ${name} in the API's environment, or in .env beside countersign.yaml`,
      severity: 'warning',
    }))
}
