import { asSchema, type Schema } from 'ai'
import { z } from 'zod'
import type { JsonObject } from '#domain/json/json.ts'
import type { Approval } from '#domain/policy/verdict.ts'
import { isIssues, issueSentences } from '../../definition/issue-sentences.ts'
import { validateWith } from './adapt-defined-tool.ts'
import type { LoadedTool } from './loaded-tool.ts'
import { canonicalInput, type ValidationResult } from './parse-input.ts'

/** The parts of a plain AI SDK `tool({…})` that are used. */
export interface AiSdkTool {
  readonly description?: string
  readonly inputSchema: Parameters<typeof asSchema>[0]
  readonly needsApproval?: unknown
  readonly execute: (input: unknown, options: object) => unknown
  readonly toModelOutput?: (options: object) => unknown
}

/** Whether an export looks like a usable tool of the AI SDK. */
export function isAiSdkTool(value: unknown): value is AiSdkTool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'inputSchema' in value &&
    'execute' in value &&
    typeof value.execute === 'function'
  )
}

/**
 * A plain AI SDK tool (workers-and-policy.md). `toolApproval` is the file's export of that name: a
 * status for each tool, or a function. If it covers this tool, it overrides `needsApproval`.
 */
export async function adaptAiSdkTool(
  tool: AiSdkTool,
  name: string,
  file: string,
  toolApproval: unknown,
): Promise<LoadedTool> {
  const schema = asSchema(tool.inputSchema)
  const jsonSchema = JSON.parse(JSON.stringify(await schema.jsonSchema)) as JsonObject
  delete jsonSchema.$schema
  const validate = (value: unknown) => validateBy(schema, jsonSchema, value)
  const parseInput = async (input: JsonObject): Promise<unknown> => {
    const validated = await validate(input)
    if (!validated.ok) throw new TypeError(validated.problems.join(' '))
    return validated.value
  }
  return {
    description: {
      name,
      description: typeof tool.description === 'string' ? tool.description : '',
      jsonSchema,
      risk: 'medium',
      scopes: ['once', 'run'],
      idempotent: false,
      manual: false,
      file,
    },
    parse: (input) => canonicalInput(validate, input),
    approval: async (input) => approvalOf(tool, name, toolApproval, await parseInput(input)),
    describe: async () => null,
    present: async () => null,
    execute: async (input, { signal, idempotencyKey }) =>
      collectResult(
        tool.execute(await parseInput(input), {
          toolCallId: idempotencyKey,
          messages: [],
          abortSignal: signal,
          context: {},
          experimental_context: undefined,
        }),
      ),
    ...(typeof tool.toModelOutput === 'function'
      ? {
          modelOutput: async (input, output, { idempotencyKey }) =>
            tool.toModelOutput?.({
              toolCallId: idempotencyKey,
              input: await parseInput(input),
              output,
            }),
        }
      : {}),
  }
}

async function validateBy(
  schema: Schema,
  jsonSchema: JsonObject,
  value: unknown,
): Promise<ValidationResult> {
  if (schema.validate === undefined) {
    return validateWith(z.fromJSONSchema(jsonSchema), value)
  }
  const result = await schema.validate(value)
  if (result.success) return { ok: true, value: result.value }
  return { ok: false, problems: problemsIn(result.error) }
}

/** The message of a schema's error is its problems as JSON; another library's are its cause. */
function problemsIn(error: Error): string[] {
  const issues = 'issues' in error ? error.issues : error.cause
  return isIssues(issues) ? issueSentences(issues) : [error.message]
}

async function approvalOf(
  tool: AiSdkTool,
  name: string,
  toolApproval: unknown,
  input: unknown,
): Promise<Approval | null> {
  const options = { toolCallId: '', toolContext: {}, runtimeContext: {}, context: {} }
  // Policy never has a conversation, so a tool whose approval reads it asks.
  Object.defineProperty(options, 'messages', { get: noConversation, enumerable: true })
  if (typeof toolApproval === 'function') {
    const toolCall = { type: 'tool-call', toolCallId: '', toolName: name, input }
    return statusApproval(
      await toolApproval(Object.assign(options, { toolCall, tools: { [name]: tool } })),
    )
  }
  if (
    typeof toolApproval === 'object' &&
    toolApproval !== null &&
    Object.hasOwn(toolApproval, name)
  ) {
    const entry: unknown = Reflect.get(toolApproval, name)
    return statusApproval(typeof entry === 'function' ? await entry(input, options) : entry)
  }
  const { needsApproval } = tool
  if (needsApproval === undefined) return null
  return needsApprovalOf(
    typeof needsApproval === 'function' ? await needsApproval(input, options) : needsApproval,
  )
}

/** The SDK's `needsApproval` is a boolean: anything else asks, with that reason (product.md 44). */
function needsApprovalOf(answer: unknown): Approval {
  if (typeof answer === 'boolean') return answer ? 'ask' : 'preApproved'
  throw new TypeError('needsApproval is not a boolean and returned none.')
}

function noConversation(): never {
  throw new Error('there is no conversation to decide by')
}

/** AI SDK 7's approval status as a verdict: "not applicable" asks here. */
function statusApproval(status: unknown): Approval {
  const { type, reason } =
    typeof status === 'object' && status !== null
      ? (status as { type?: unknown; reason?: unknown })
      : { type: status, reason: undefined }
  switch (type) {
    case 'approved':
      return 'preApproved'
    case 'denied':
      return { blocked: typeof reason === 'string' ? reason : 'denied by toolApproval' }
    case undefined:
    case 'user-approval':
    case 'not-applicable':
      return 'ask'
    default:
      throw new TypeError('toolApproval has a value that AI SDK 7 does not know.')
  }
}

/** A generator's last value is the result; the ones before are preliminary. */
async function collectResult(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result))
    return result
  let last: unknown
  for await (const value of result as AsyncIterable<unknown>) last = value
  return last
}
