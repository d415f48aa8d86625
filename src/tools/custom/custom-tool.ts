import { canonicalJson, hashJson } from '#domain/json/digest.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { CallPresentation, Tool } from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { Approval } from '#domain/policy/verdict.ts'
import { languageOf } from '../presentations/file-kind.ts'
import { makePresentation } from '../presentations/make-presentation.ts'
import { titleLine, presentStructured, titleOfCall } from '../presentations/structured.ts'
import { textWarnings } from '../presentations/text-warnings.ts'
import { textProblems } from '../definition/text-problems.ts'
import { customResult } from './custom-result.ts'
import {
  QueryNotAccepted,
  ToolFailed,
  ToolProcessEnded,
  type RequestOptions,
} from './query-child.ts'
import { ToolFilesChanged, type ToolProcess } from './tool-process.ts'
import type {
  ConsideredInput,
  CustomPresented,
  ToolDescription,
  ToolQuery,
} from './tool-protocol.ts'

/** How long a custom tool's functions may take. */
export interface CustomToolTimes {
  /** schema, approval, description and presentation, each */
  readonly quickMs: number
  readonly executeMs: number
}

const usualTimes: CustomToolTimes = { quickMs: 10_000, executeMs: 10 * 60_000 }

/**
 * A custom tool in the shape that policy and services use; its functions run in a tool process. Its
 * definition hash covers name, description, schema, its file and the files that tools import.
 */
export function customTool(
  description: ToolDescription,
  toolProcess: ToolProcess,
  times: CustomToolTimes = usualTimes,
): Tool {
  const { name, jsonSchema } = description
  const quick = { timeoutMs: times.quickMs, signal: null }
  const definitionHash = hashJson({
    name,
    description: description.description,
    jsonSchema,
    source: toolProcess.fileHash(description.file),
    shared: toolProcess.sharedHash,
  })
  /** Verdicts that came with a parsed input: the next query is nearly always about that input. */
  const approvals = new WeakMap<JsonObject, Approval | null>()
  async function consider(input: Json): Promise<ConsideredInput> {
    try {
      return await toolProcess.request({ do: 'consider', tool: name, input }, quick)
    } catch (error) {
      if (!(error instanceof ToolProcessEnded)) throw error
      // Schema or approval ended the process: ask for the schema alone.
      return toolProcess.request({ do: 'parse', tool: name, input }, quick)
    }
  }
  return {
    name,
    description: description.description,
    jsonSchema,
    risk: description.risk,
    readOnly: false,
    idempotent: description.idempotent,
    manual: description.manual,
    scopes: description.scopes,
    definitionHash,

    async parse(input) {
      const problems = textProblems(input)
      if (problems.length > 0) return { ok: false, problems }
      try {
        const considered = await consider(input)
        if (!considered.ok) return considered
        if (considered.approval !== undefined) approvals.set(considered.input, considered.approval)
        return { ok: true, input: considered.input }
      } catch (error) {
        return { ok: false, problems: [sentenceOf(error)] }
      }
    },

    accesses: () => [],
    async approval(input) {
      const cachedApproval = approvals.get(input)
      return cachedApproval === undefined
        ? toolProcess.request({ do: 'approval', tool: name, input }, quick)
        : cachedApproval
    },

    async present(input, { signal }) {
      const options = { timeoutMs: times.quickMs, signal }
      const answer = await toolProcess.request({ do: 'present', tool: name, input }, options)
      return presentedOf({ name, definitionHash, jsonSchema }, input, answer)
    },

    execute(input, { signal, idempotencyKey }) {
      const query = { do: 'execute', tool: name, input, idempotencyKey } as const
      return executeIn(toolProcess, query, { timeoutMs: times.executeMs, signal })
    },
  }
}

/** Carries a call out. If it did not begin, its result says why; other failures are thrown. */
async function executeIn(
  toolProcess: ToolProcess,
  query: Extract<ToolQuery, { do: 'execute' }>,
  options: RequestOptions,
): Promise<ToolResult> {
  try {
    return customResult(query.tool, await toolProcess.request(query, options))
  } catch (error) {
    const isBegun = !(error instanceof ToolFilesChanged || error instanceof QueryNotAccepted)
    if (isBegun) throw error
    const problem =
      error instanceof QueryNotAccepted
        ? `${query.tool} was not carried out: ${error.message}`
        : error.message
    return { type: 'error', output: { problem }, text: problem }
  }
}

function presentedOf(
  {
    name,
    definitionHash: toolHash,
    jsonSchema,
  }: Pick<Tool, 'name' | 'definitionHash' | 'jsonSchema'>,
  input: JsonObject,
  { title, presentation, problems }: CustomPresented,
): CallPresentation {
  const warnings = problems.map((problem) => `Could not be built: ${problem}`)
  const content = presentation?.content ?? ''
  return {
    title: title === null ? titleOfCall(name, input) : titleLine(title),
    presentation:
      presentation === null
        ? presentStructured(input, {}, warnings, jsonSchema)
        : makePresentation({
            type: presentation.type,
            language: presentation.language ?? languageOf(''),
            content,
            metadata: presentation.metadata ?? {},
            warnings: [...warnings, ...textWarnings(content.split('\n'))],
          }),
    facts: { toolHash, bases: [] },
    content: Buffer.from(canonicalJson(input)),
    contentType: 'text/plain',
  }
}

function sentenceOf(error: unknown): string {
  const approval =
    error instanceof ToolFailed ||
    error instanceof ToolProcessEnded ||
    error instanceof ToolFilesChanged
  if (!approval) throw error
  return error.message
}
