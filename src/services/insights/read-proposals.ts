import { createTwoFilesPatch } from 'diff'
import type { Rule } from '#domain/policy/verdict.ts'
import { Problem } from '#domain/problem.ts'
import { parseProject } from '#policy/project/parse-project.ts'
import type { Policy } from '#policy/policy.ts'
import { relaxRule } from '#policy/proposing/relax-rule.ts'
import { policyDocument } from '#policy/version-digest.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { viewerOf } from '../requests/people/viewer.ts'
import { readCallsOfRule, readAskingRules, type AskingRule } from './asked-rules.ts'

const days = 30
/** Judging takes about a millisecond a call, and the host is asked for each proposal. */
const maxReplayed = 200

/** What a rule's pre-approval would have let through. */
export interface ProposalReplay {
  /** of this worker, how many calls that asked were judged again */
  readonly calls: number
  readonly wouldRunAlone: number
  /** of those that would run without approval */
  readonly requests: readonly number[]
  /** why none was judged, as a sentence; `null`: they were */
  readonly problem: string | null
}

/** A rule that is always approved, and the change that pre-approves it. */
export interface RuleProposal {
  readonly id: string
  readonly worker: string
  readonly rule: Rule
  /** relative to the project folder */
  readonly file: string
  /** a unified diff of the version in force, which `git apply` takes in the project folder */
  readonly patch: string
  readonly evidence: Omit<AskingRule, 'worker' | 'ruleId' | 'ruleText'>
  readonly replay: ProposalReplay
}

/**
 * Rules that asked in vain in the last 30 days: each with the change to the file that pre-approves
 * it, and what that version would have let through. Nothing is changed. Not proposed: what the file
 * does not say in a word, what makes the version invalid, and what would go on to ask, as protected
 * names and overlays do.
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

/** The change of one rule, on the file as it is in force. */
export interface RuleChange {
  readonly rule: Rule
  readonly file: string
  readonly patch: string
  readonly candidate: Policy
}

/**
 * What pre-approves one rule in the version in force. `null`: the file says no such thing in a
 * word, or the changed version would not be valid. Pure.
 */
export function changeOf(
  policy: Policy,
  { worker, ruleId, ruleText }: Pick<AskingRule, 'worker' | 'ruleId' | 'ruleText'>,
): RuleChange | null {
  const file = `workers/${worker}.md`
  const text = policy.files.texts.get(file)
  const relaxed = text === undefined ? null : relaxRule(text, ruleId)
  if (text === undefined || relaxed === null) return null
  const { toolFiles } = policy.files
  const texts = new Map([...policy.files.texts, [file, relaxed]])
  const parsed = parseProject({ texts, toolFiles })
  if ('problems' in parsed) return null
  const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, text, relaxed, '', '', { context: 3 })
  const line = text.split('\n').findIndex((each, at) => each !== relaxed.split('\n')[at]) + 1
  const rule = { id: ruleId, text: ruleText, source: `${file}:${line}` }
  // What stands before the names of the files is for people.
  return { rule, file, patch: patch.slice(patch.indexOf('--- ')), candidate: parsed.policy }
}

async function replayOf(
  ctx: SigningContext,
  candidate: Policy,
  worker: string,
  since: Date,
): Promise<ProposalReplay> {
  const calls = await readCallsOfRule(ctx.db, worker, { since, most: maxReplayed })
  try {
    const { done, items, notJudged } = await ctx.replayRemotely({
      replayUnder: policyDocument(candidate.files),
      callIds: [...calls.keys()],
    })
    const alone = items.filter(({ after }) => after.verdict === 'preApproved')
    const requests = alone.map(({ callId }) => calls.get(callId) ?? 0)
    const judged = done - notJudged.length
    return { calls: judged, wouldRunAlone: alone.length, requests, problem: null }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'workspace_unreachable') throw error
    return { calls: 0, wouldRunAlone: 0, requests: [], problem: error.message }
  }
}
