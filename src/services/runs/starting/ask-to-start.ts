import type { Selectable } from 'kysely'
import { Problem } from '#domain/problem.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Judgement } from '#domain/deciding/judgement.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import { startRunName, type StartVerdict } from '#domain/runs/start-of-run.ts'
import type { CallPresentation } from '#domain/tools/tool.ts'
import type { RunMode } from '#domain/policy/verdict.ts'
import { taskText } from '#domain/text/task-text.ts'
import { judgeStart } from '#policy/judge/judge-start.ts'
import { workerPreview } from '#policy/judge/preview/worker-preview.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import type { RunTable } from '#store/tables/runs.ts'
import { makePresentation } from '#tools/presentations/make-presentation.ts'
import { titleLine } from '#tools/presentations/structured.ts'
import { textWarnings } from '#tools/presentations/text-warnings.ts'
import type { RunAttachment } from '../../core/attached-files.ts'
import type { Caller } from '../../core/context.ts'
import type { UnitOfWork } from '../../core/unit-of-work.ts'
import { readPrincipals } from '../../requests/opening/read-principals.ts'
import { openingOf, openRequests } from '../../requests/opening/open-request.ts'
import type { MessageFileToStore } from '../../transcript/sent-files.ts'
import { storePresented } from '../../requests/opening/store-presented.ts'

/** A start to be judged by policy. */
export interface StartToJudge {
  /** the version in force, which judges the start */
  readonly policy: Policy
  /** the worker in the version in force */
  readonly current: WorkerDefinition
  /** the worker that the run pins */
  readonly worker: WorkerDefinition
  readonly input: Json
  readonly mode: RunMode
  readonly attachments: readonly RunAttachment[]
}

export interface JudgedStart {
  readonly verdict: StartVerdict
  readonly judgement: Judgement
}

/**
 * The judgement of a start by policy and mode: `approve_all` approves what asks, and `strict`
 * denies it (product.md 21). Throws `policy_blocked` where an overlay blocks the start.
 */
export function judgedStart(start: StartToJudge): JudgedStart {
  const { policy, current, worker, mode } = start
  // The digest is of the version that would run; the one in force decides whether it asks.
  const judgedWorker = { ...current, digest: worker.digest }
  const judgement = judgeStart(policy, judgedWorker, inputOf(start))
  if (judgement.verdict === 'blocked') {
    throw new Problem('policy_blocked', judgement.reason, { rule: judgement.rule?.id ?? null })
  }
  const isFree = judgement.verdict === 'preApproved' || mode === 'approve_all'
  return { verdict: isFree ? 'begins' : mode === 'strict' ? 'denied' : 'asks', judgement }
}

function inputOf({ worker, input, mode, attachments }: StartToJudge): JsonObject {
  return { worker: worker.name, input, mode, attachments: attachments.map(({ path }) => path) }
}

/** More facts about a start for its approver. */
export interface StartTerms {
  /** the first message, with the texts of its files */
  readonly text: string
  /** pictures and texts of the first message */
  readonly files: readonly Pick<MessageFileToStore, 'name' | 'bytes' | 'hash'>[]
  readonly isConversation: boolean
  readonly budget: RunBudget | null
  readonly forkedFrom: { readonly number: number; readonly afterTurn: number } | null
}

/** Opens the request for a run's start. The run's row was just written, which locks it. */
export async function askToStart(
  unit: UnitOfWork,
  caller: Caller,
  run: Selectable<RunTable>,
  requestId: string,
  start: StartToJudge & StartTerms & { readonly judgement: Judgement },
): Promise<void> {
  const presented = await storePresented(unit.tx, start.judgement, presentStart(start), null)
  const opening = {
    kind: 'start' as const,
    call: null,
    ...openingOf(start.judgement),
    presented,
    agentReasonHash: null,
    attempt: 1,
    previous: [],
    outcomeOf: null,
  }
  const openings = [{ requestId, caller, opening }]
  const behind = await readPrincipals(unit.tx, run.id, openings)
  unit.sendLast(await openRequests(unit, run, openings, { behind, beside: [] }))
}

/** The task, without the texts of files; for a fork, its first message. */
function taskOf({ forkedFrom, input, text }: StartToJudge & StartTerms): string {
  return forkedFrom === null || forkedFrom.afterTurn === 0 ? taskText(input) : text
}

/** The task comes last, so that nothing in it can look like one of the facts above it. */
function presentStart(start: StartToJudge & StartTerms): CallPresentation {
  const { worker, mode, attachments, text } = start
  const files = attachments.map(({ path, bytes, hash }) => ({ path, bytes, hash }))
  const content = [...factLines(start), ...previewLines(start), 'Task, to the end:', text, ''].join(
    '\n',
  )
  const metadata = {
    worker: worker.name,
    workerDigest: worker.digest,
    model: worker.model,
    mode,
    attachments: files,
  }
  return {
    title: titleLine(`Start ${worker.name}: ${taskOf(start)}`),
    effect: `Start a run of ${worker.name}`,
    presentation: makePresentation({
      type: 'text',
      language: null,
      content,
      metadata,
      warnings: textWarnings(content.split('\n')),
    }),
    facts: {
      toolHash: worker.digest,
      bases: files.map(({ path, hash }) => ({ path, hash })),
      detail: metadata,
    },
    content: Buffer.from(content),
    contentType: 'text/plain',
  }
}

const modeTexts: Readonly<Record<RunMode, string>> = {
  prompt: 'prompt (people are asked)',
  strict: 'strict (what asks is denied)',
  approve_all: 'approve_all (what asks is approved)',
}

function factLines(start: StartToJudge & StartTerms): readonly string[] {
  const { worker, mode, isConversation, budget, forkedFrom, attachments } = start
  const sent = start.files.map(({ name, ...file }) => ({ path: name, ...file }))
  const files = [...attachments, ...sent]
  const about = worker.description === '' ? '' : ` (${titleLine(worker.description)})`
  const limit = Object.entries(budget ?? {}).map(([name, max]) => `${name} ${max}`)
  return [
    `Worker: ${worker.name}${about}`,
    `Model: ${worker.model}`,
    `Mode: ${modeTexts[mode]}`,
    `Afterwards: ${isConversation ? 'it waits for the next message, and continues with it' : 'it ends'}`,
    ...(limit.length === 0 ? [] : [`Budget: ${limit.join(', ')}`]),
    ...(forkedFrom === null
      ? []
      : [`Continues: run #${forkedFrom.number}, after turn ${forkedFrom.afterTurn}`]),
    `Files: ${files.length === 0 ? 'none' : files.length}`,
    ...files.map(({ path, bytes, hash }) => `  ${path}  ${bytes} bytes  ${hash}`),
  ]
}

const previewTitles = {
  preApproved: 'Runs without approval:',
  ask: 'Asks people:',
  blocked: 'Never runs:',
} as const

function previewLines({ policy, current }: StartToJudge): readonly string[] {
  // Without the start itself, which the request is about.
  const lines = workerPreview(policy, current).filter(({ tools }) => !tools.includes(startRunName))
  return Object.entries(previewTitles).flatMap(([approval, title]) => {
    const own = lines.filter((line) => line.approval === approval)
    return own.length === 0 ? [] : [title, ...own.map(({ text }) => `  ${titleLine(text)}`)]
  })
}
