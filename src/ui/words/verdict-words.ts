import type { ApprovalWord, Verdict } from '#domain/policy/verdict.ts'

/** What policy says about a call, in the words of the matrix. */
export const ruleWords: Readonly<Record<ApprovalWord, string>> = {
  preApproved: 'alone',
  ask: 'asks',
  blocked: 'never',
}

export const verdictWords: Readonly<Record<Verdict, string>> = {
  ...ruleWords,
  error: 'not possible',
}
