import { createTwoFilesPatch } from 'diff'
import type { RuleProposalView } from '#api/schemas/requests/insights.ts'
import type { Rule } from '#domain/policy/verdict.ts'
import { Problem } from '#domain/problem.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import type { Policy } from '#policy/policy.ts'
import { relaxRule } from '#policy/proposing/relax-rule.ts'
import { policyDocument } from '#policy/version-digest.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { viewerOf } from '../requests/people/viewer.ts'
import { readCallsOfRule, readAskingRules, type AskingRule } from './asking-rules.ts'
import type { RecordOf } from '../core/record-of.ts'

const days = 30
/** Judging takes about a millisecond a call, and each proposal asks the host. */
const maxReplayed = 200

/** A rule whose requests were always approved, and the change that pre-approves it. */
export type RuleProposal = RecordOf<RuleProposalView>

/** The calls that a rule's pre-approval would have permitted. */
type ProposalReplay = RuleProposal['replay']

/**
 * Proposes changes of rules whose requests of the last 30 days were all approved: each with the
 * patch that pre-approves it, and the calls that it would have permitted. It changes nothing. Not
 * proposed are: a rule that no word of its worker's file makes ask, a change that makes an invalid
 * version, and a rule that would still ask because of protected names or overlays.
 */
export async function readProposals(
  ctx: SigningContext,
  caller: Caller,
): Promise<readonly RuleProposal[]> {
  const since = new Date(Date.now() - days * 24 * 3_600_000)
  const rules = await readAskingRules(ctx.db, await viewerOf(ctx, caller), since)
  const policy = await ctx.policies.inForce()
  const proposals: RuleProposal[] = []
  for (const candidate of rules) {
    const change = changeOf(policy, candidate)
    if (change === null) continue
    const replay = await replayOf(ctx, change.candidate, candidate.worker, since)
    if (replay.problem === null && replay.wouldRunAlone === 0) continue
    const { worker, ruleId, approved, denied, medianSeconds, requests } = candidate
    const evidence = { asked: candidate.asked, approved, denied, medianSeconds, requests }
    const { rule, file, patch } = change
    proposals.push({ id: `${worker}/${ruleId}`, worker, rule, file, patch, evidence, replay })
  }
  return proposals
}

/** The change of one rule, in the file as it is in force. */
export interface RuleChange {
  readonly rule: Rule
  readonly file: string
  readonly patch: string
  readonly candidate: Policy
}

/**
 * The change that pre-approves one rule in the version in force. `null`: no word of the file does
 * that, or the changed version would be invalid. Pure.
 */
export function changeOf(
  policy: Policy,
  { worker, ruleId, ruleText }: Pick<AskingRule, 'worker' | 'ruleId' | 'ruleText'>,
): RuleChange | null {
  const file = `workers/${worker}.md`
  const text = policy.files.texts.get(file)
  const relaxed = text === undefined ? null : relaxRule(text, ruleId)
  if (text === undefined || relaxed === null) return null
  const texts = new Map([...policy.files.texts, [file, relaxed]])
  const parsedProject = parseProject({ ...policy.files, texts })
  if ('problems' in parsedProject) return null
  const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, text, relaxed, '', '', { context: 3 })
  const line = text.split('\n').findIndex((each, at) => each !== relaxed.split('\n')[at]) + 1
  const rule = { id: ruleId, text: ruleText, source: `${file}:${line}` }
  // The lines before the file names are for people only.
  return { rule, file, patch: patch.slice(patch.indexOf('--- ')), candidate: parsedProject.policy }
}

async function replayOf(
  ctx: SigningContext,
  candidate: Policy,
  worker: string,
  since: Date,
): Promise<ProposalReplay> {
  const calls = await readCallsOfRule(ctx.db, worker, { since, maxCalls: maxReplayed })
  try {
    const { done, items, notJudged } = await ctx.replayRemotely({
      replayUnder: policyDocument(candidate.files),
      callIds: [...calls.keys()],
    })
    const alone = items.filter(({ after }) => after.verdict === 'preApproved')
    const requests = alone.map(({ callId }) => calls.get(callId) ?? 0)
    const judgedCount = done - notJudged.length
    return { calls: judgedCount, wouldRunAlone: alone.length, requests, problem: null }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'workspace_unreachable') throw error
    return { calls: 0, wouldRunAlone: 0, requests: [], problem: error.message }
  }
}
