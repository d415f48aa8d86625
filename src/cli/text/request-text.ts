import type { DecisionView } from '#api/schemas/requests/request-parts.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { missingText, placeText } from '#domain/deciding/quorum.ts'
import { programWords } from '#domain/requests/program-words.ts'
import { requestHeadline } from '#domain/requests/request-headline.ts'
import { fieldsAsText } from '#domain/fields/fields-as-text.ts'
import { structuredFields } from '#domain/fields/structured-fields.ts'
import { executionSentence } from '#domain/requests/execution-sentence.ts'
import { cancelledWords } from '#domain/text/cancel-reason-words.ts'
import { starterName } from '#domain/text/starter-name.ts'
import { cueLines, routingLines, stateWord, taskLines } from './request-card.ts'
import {
  againLines,
  alikeLines,
  originLines,
  namedFileLines,
  serverWords,
} from './request-sections.ts'
import { bold, dim, red, yellow } from './colour.ts'
import { quoteLines } from './quote-lines.ts'
import { printableLine } from './terminal-text.ts'
import { fromNow } from './times.ts'
import { fitPage, ownRows, terminalColumns } from './wrap.ts'

/** Lines of a presentation, and of the agent's claim, where the rows of the screen are unknown. */
const shortLines = 60
const shortClaimLines = 12

export interface RequestTextOptions {
  /** every line of what will happen and of the agent's claim */
  readonly full: boolean
  /** the caller prints the whole task below */
  readonly isTaskBelow?: boolean
  readonly columns?: number | null
  /** beside a menu whose key `v` shows all: how many rows the text may have; null: unknown */
  readonly menu?: { readonly maxRows: number | null }
}

/** Whether what is shown is all of it, with nothing left out. */
export interface RequestText {
  readonly text: string
  readonly whole: boolean
}

/**
 * A request as a page of text: who asks, why, what will happen, and only then what the agent says.
 */
export function requestText(request: RequestDetail, options: RequestTextOptions): RequestText {
  const { columns = terminalColumns(), menu } = options
  const { presentation } = request
  const maxRows = menu?.maxRows ?? null
  const isFull = options.full || (maxRows !== null && columns !== null)
  const everyByte = menu === undefined ? `countersign requests show ${request.number} --full` : 'v'
  const seeAll = menu === undefined ? `see all with ${everyByte}` : 'v shows all'
  const mark = (count: number): string => yellow(`… ${count} more lines; ${seeAll}`)
  const fields = structuredFields(presentation)
  const shownText = fields === null ? presentation.content : fieldsAsText(fields)
  const content = quoteLines(shownText, { columns, diff: presentation.type === 'diff' })
  const visible = isFull ? content : content.slice(0, shortLines)
  const claimLines = claim(request, columns)
  const visibleClaim = isFull ? claimLines : claimLines.slice(0, 1 + shortClaimLines)
  const leftOut = (all: readonly string[], part: readonly string[]): string[] =>
    all.length > part.length ? [mark(all.length - part.length)] : []
  const page = {
    head: head(request, options.isTaskBelow === true ? 'all of it is below' : seeAll),
    details: details(request),
    body: [
      ...presentation.warnings.map((warning) => yellow(`! ${printableLine(warning)}`)),
      '',
      ...visible,
      ...leftOut(content, visible),
      ...(presentation.truncated ? [truncatedSentence(request, everyByte)] : []),
      '',
      ...namedFileLines(request),
      ...serverWords(request, columns),
      ...visibleClaim,
      ...leftOut(claimLines, visibleClaim),
    ],
    foot: foot(request),
  }
  const isWhole = visible.length === content.length && !presentation.truncated
  if (maxRows !== null && columns !== null) {
    const { rows, whole } = fitPage(page, { columns, maxRows, mark })
    return { text: rows.join('\n'), whole: whole && isWhole }
  }
  const lines = [...page.head, ...page.details, ...page.body, ...page.foot]
  return { text: lines.flatMap((line) => ownRows(line, columns)).join('\n'), whole: isWhole }
}

/**
 * What a person reads first: it stays on the screen together with the keys. The risk stands before
 * the effect, whose length an agent chooses.
 */
function head(request: RequestDetail, seeAll: string): string[] {
  const [root] = request.lineage
  const asker = root === undefined ? 'a program' : starterName(root.startedBy)
  return [
    ...taskLines(request, seeAll),
    `${bold(`#${request.number}`)} ${riskWord(request.risk)}  ${bold(printableLine(requestHeadline(request)))}  ${endWords(request)}`,
    `${wantingSentence(request, asker)}; queue ${printableLine(request.queue)}${expiry(request)}`,
    ...cueLines(request),
    ...beforeRestore(request),
    ...againLines(request),
  ]
}

function endWords(request: RequestDetail): string {
  const { state, cancelReason } = request
  return state === 'cancelled' ? cancelledWords(cancelReason) : stateWord(request)
}

function details(request: RequestDetail): string[] {
  const source = request.rule.source === null ? '' : dim(` (${printableLine(request.rule.source)})`)
  return [
    `${dim('why it asks')}  ${printableLine(request.rule.text)}${source}`,
    ...routingLines(request),
    ...originLines(request.external?.origin ?? null),
    ...below(request),
    ...assumption(request),
    ...alikeLines(request),
  ]
}

/** The lineage of a child run: the workers above it, from the root run down. */
function below({ lineage, runId }: RequestDetail): string[] {
  if (lineage.length < 2 || runId === null) return []
  const names = lineage.map(({ worker }) => printableLine(worker)).join(' › ')
  return [
    `${dim('lineage')}  ${names}, started by ${printableLine(starterName(lineage[0]?.startedBy ?? null))}`,
  ]
}

/** Who requests it, or requested it: the worker, or the person who invoked a manual tool. */
function wantingSentence(request: RequestDetail, asker: string): string {
  const { worker, tool, invokedBy, external } = request
  if (external !== null) {
    const behalf = external.onBehalfOf === null ? '' : `, on behalf of ${external.onBehalfOf.name}`
    return printableLine(`${wants(request, programWords(external))}${behalf}`)
  }
  const name = printableLine(worker ?? tool)
  return invokedBy === null
    ? `${wants(request, name)}, started by ${printableLine(asker)}`
    : `${wants(request, printableLine(invokedBy.name))}, by hand, in a run of ${name}`
}

function wants({ kind, state }: RequestDetail, name: string): string {
  const [asks, verb] = state === 'pending' ? ['asks', 'wants'] : ['asked', 'wanted']
  if (kind === 'outcome_check') return `the service ${asks} it about a call of ${name}`
  return `${name} ${kind === 'question' ? `${asks} this question` : `${verb} this`}`
}

/**
 * Says which earlier call of the turn the presentation assumes as carried out (product.md 15).
 */
function assumption({ facts, batch }: RequestDetail): string[] {
  if (typeof facts['assumes'] !== 'number' || batch === null) return []
  return [yellow(`assumes call ${facts['assumes']} of ${batch.size}`)]
}

function beforeRestore({ askedBeforeRestore }: RequestDetail): string[] {
  if (!askedBeforeRestore) return []
  return [
    red(
      '! It was opened before a restore and may have been carried out already: check before you approve',
    ),
  ]
}

function expiry(request: RequestDetail): string {
  return request.state === 'pending' ? `, expires ${fromNow(request.expiresAt)}` : ''
}

function truncatedSentence({ presentation }: RequestDetail, everyByte: string): string {
  const { totalLines, totalBytes } = presentation
  return yellow(
    `… this is a part: the whole has ${totalLines} lines, ${totalBytes} bytes; every byte: ${everyByte}`,
  )
}

/** A line that says whose claim it is, and the claim; empty without one. */
function claim(request: RequestDetail, columns: number | null): string[] {
  const program = request.external?.claim ?? null
  const programs = [program?.title, program?.presentation?.content].flatMap((text) => text ?? [])
  const statement = request.external === null ? (request.agentReason ?? '') : programs.join('\n')
  if (statement === '') return []
  const who = request.external === null ? 'agent' : 'program'
  return [
    dim(`the ${who}'s claim, not verified:`),
    ...quoteLines(statement, { columns, diff: false }),
  ]
}

function foot(request: RequestDetail): string[] {
  const votes = request.decisions.map((decision) => `; ${vote(request, decision)}`)
  const { canDecide, reason } = request.eligibility
  const execution = executionSentence(request.execution, request)
  return [
    `${dim('revision')} ${request.revision}  ${dim('quorum')}  ${printableLine(request.quorum.text)}${votes.join('')}${missingSentence(request)}`,
    ...steps(request),
    ...lackAfterEdit(request),
    `${dim('digest')} ${request.digest}`,
    ...(execution === null ? [] : [`${dim('execution')}  ${printableLine(execution)}`]),
    ...(canDecide || reason === null ? [] : [yellow(printableLine(reason))]),
  ]
}

/** The missing part of the quorum, after the first vote. */
function missingSentence({ state, quorum }: RequestDetail): string {
  if (state !== 'pending' || quorum.counted.length === 0) return ''
  return `; still ${printableLine(missingText(quorum))}`
}

/**
 * The missing part of the quorum if the reader changed the call, which they could not decide then.
 */
function lackAfterEdit({ missingAfterEdit }: RequestDetail): string[] {
  if (missingAfterEdit.length === 0) return []
  const lack = missingAfterEdit.map(placeText).join(' and ')
  return [
    `${dim('changes')}  if you change this call, too few others could approve it: it would lack ${printableLine(lack)}`,
  ]
}

/** The reminders and escalations so far, and those to come. */
function steps(request: RequestDetail): string[] {
  return request.steps
    .filter(({ takenAt }) => takenAt !== null || request.state === 'pending')
    .map((step) => {
      const to = step.addTeams.length === 0 ? '' : ` to ${step.addTeams.join(', ')}`
      const what = step.kind === 'escalate' ? `escalated${to}` : 'reminded'
      const when = fromNow(step.takenAt ?? step.dueAt)
      return `${dim('waiting')}  ${printableLine(step.takenAt === null ? `to be ${what}` : what)} ${when}`
    })
}

/** A decision with its marks (product.md 11, 17). */
function vote({ kind }: RequestDetail, decision: DecisionView): string {
  const verb = kind === 'question' ? 'answered' : decision.decision
  const marks = [
    ...(decision.selfApproved ? ['self-approved'] : []),
    ...(decision.edited ? ['edited'] : []),
    ...(decision.signedWith === null ? [] : [`signed with ${printableLine(decision.signedWith)}`]),
  ]
  const words = marks.length === 0 ? '' : ` (${marks.join(', ')})`
  return `${printableLine(decision.person.name)}: ${verb}${words}`
}

/** The risk as a word, coloured if the terminal has colours. */
function riskWord(risk: RequestDetail['risk']): string {
  if (risk === 'high') return red('HIGH RISK')
  return risk === 'medium' ? yellow('medium risk') : dim('low risk')
}
