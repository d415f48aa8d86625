import type { Verdict } from '#domain/policy/verdict.ts'
import { approvalLabels } from '#domain/text/policy-words.ts'

export const verdictWords: Readonly<Record<Verdict, string>> = {
  ...approvalLabels,
  error: 'not possible',
}
