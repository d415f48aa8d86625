import type { ApprovalWord, Verdict } from '#domain/policy/verdict.ts'

/** What a rule of policy says about calls, in the words of the matrix. */
export const approvalLabels: Readonly<Record<ApprovalWord, string>> = {
  preApproved: 'without approval',
  ask: 'asks',
  blocked: 'never',
}

export const verdictWords: Readonly<Record<Verdict, string>> = {
  ...approvalLabels,
  error: 'not possible',
}
