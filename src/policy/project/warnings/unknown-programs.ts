import type { Policy, ProjectProblem } from '../../policy.ts'
import { placeOfSource } from '../../reading/report.ts'

/** What a shell does by itself: no program of the name needs to be there. */
const builtins = new Set(
  ': . [ alias cd command echo eval exec exit export false printf pwd read set shift source test time times trap true type ulimit umask unset wait'.split(
    ' ',
  ),
)

/**
 * A warning for each program that a shell rule names and that is not on this host. `isHere` is asked once for each
 * name. A rule for a program that comes with the workspace names it by a path, and is left alone.
 */
export async function unknownPrograms(
  policy: Policy,
  isHere: (name: string) => Promise<boolean>,
): Promise<readonly ProjectProblem[]> {
  const rules = [...policy.workers.values()].flatMap((worker) => worker.shell?.rules ?? [])
  const names = [...new Set(rules.map((rule) => rule.pattern[0] ?? ''))]
  const missing = new Set<string>()
  for (const name of names) {
    if (name.includes('/') || builtins.has(name) || (await isHere(name))) continue
    missing.add(name)
  }
  return rules
    .filter((rule) => missing.has(rule.pattern[0] ?? ''))
    .map((rule) => ({
      ...placeOfSource(rule.consent.source),
      problem: `a shell rule names the program "${rule.pattern[0]}", which is not on this host`,
      remedy: 'correct the name, or install it where commands run',
      severity: 'warning',
    }))
}
