import { z } from 'zod'
import type { JsonObject } from '#domain/json/json.ts'
import { risks, type Approval } from '#domain/policy/verdict.ts'
import { issueSentences } from '../../definition/issue-sentences.ts'
import type { DefinedTool } from '../define-tool.ts'
import { asApproval, isApproval, type LoadedTool } from './loaded-tool.ts'
import { canonicalInput, type ValidationResult } from './parse-input.ts'

const callable = z.custom((value) => typeof value === 'function', 'must be a function')
const shape = z.object({
  name: z.string(),
  description: z.string(),
  approval: z
    .custom(
      (value) => typeof value === 'function' || isApproval(value),
      "must be 'ask', 'preApproved', { blocked: 'reason' }, a boolean, or a function that answers one",
    )
    .optional(),
  describe: callable.optional(),
  present: callable.optional(),
  scopes: z
    .array(z.enum(['once', 'run']))
    .min(1)
    .optional(),
  risk: z.enum(risks).optional(),
  idempotent: z.boolean().optional(),
  manual: z.boolean().optional(),
  execute: callable,
})

/** A tool made by `defineTool`. Throws a sentence when the definition is not one. */
export function adaptDefinedTool(tool: DefinedTool, file: string): LoadedTool {
  const checked = shape.safeParse(tool)
  if (!checked.success) throw new TypeError(issueSentences(checked.error.issues).join('; '))
  const { inputSchema } = tool
  if (!(inputSchema instanceof z.ZodType)) {
    throw new TypeError('inputSchema must be a zod schema')
  }
  const jsonSchema = z.toJSONSchema(inputSchema, { io: 'input' }) as JsonObject
  delete jsonSchema.$schema
  const parseInput = (input: JsonObject) => inputSchema.parseAsync(input)
  return {
    description: {
      name: tool.name,
      description: tool.description,
      jsonSchema,
      risk: tool.risk ?? 'medium',
      scopes: tool.scopes ?? ['once', 'run'],
      idempotent: tool.idempotent ?? false,
      manual: tool.manual ?? false,
      file,
    },
    parse: (input) => canonicalInput((value) => validateWith(inputSchema, value), input),
    approval: async (input) => declaredApproval(tool, () => parseInput(input)),
    describe: async (input) =>
      tool.describe ? await tool.describe(await parseInput(input)) : null,
    present: async (input) => (tool.present ? await tool.present(await parseInput(input)) : null),
    execute: async (input, context) => tool.execute(await parseInput(input), context),
  }
}

/** `null` when the tool has no approval; one that is not a function is the same for every call. */
async function declaredApproval(
  { approval }: DefinedTool,
  parseInput: () => Promise<unknown>,
): Promise<Approval | null> {
  if (approval === undefined) return null
  return asApproval(typeof approval === 'function' ? await approval(await parseInput()) : approval)
}

/** A zod schema's result, with one sentence for each problem. */
export async function validateWith(schema: z.ZodType, value: unknown): Promise<ValidationResult> {
  const inputResult = await schema.safeParseAsync(value)
  if (inputResult.success) return { ok: true, value: inputResult.data }
  return { ok: false, problems: issueSentences(inputResult.error.issues) }
}
