import { z } from 'zod'
import { hashJson } from '../domain/digest.ts'
import type { Json, JsonObject } from '../domain/json.ts'
import type {
  Access,
  ExecuteContext,
  ParsedInput,
  PresentContext,
  Presented,
  Tool,
  ToolResult,
} from '../domain/tool.ts'
import { ToolProblem } from '../domain/tool-problem.ts'
import type { Risk, Scope } from '../domain/verdict.ts'
import { WorkspaceProblem } from '../domain/workspace-problem.ts'
import { textProblems } from './text-problems.ts'

/** What a built-in tool is made of; `T` is its canonical input. */
export interface BuiltIn<T> {
  readonly name: string
  readonly description: string
  /** its output is the canonical input and parses to itself */
  readonly schema: z.ZodType<T>
  readonly risk: Risk
  readonly readOnly: boolean
  readonly scopes: readonly Scope[]
  accesses(input: T): readonly Access[]
  present(input: T, context: PresentContext & { readonly toolHash: string }): Promise<Presented>
  execute(input: T, context: ExecuteContext): Promise<ToolResult>
}

/** A built-in tool in the shape that policy and services use. Its definition hash covers name, description, schema. */
export function defineBuiltIn<T>(definition: BuiltIn<T>): Tool {
  const { name, description, schema, risk, readOnly, scopes } = definition
  const jsonSchema = jsonSchemaOf(schema)
  const definitionHash = hashJson({ name, description, jsonSchema })
  return {
    name,
    description,
    jsonSchema,
    risk,
    readOnly,
    scopes,
    definitionHash,
    idempotent: false,
    manual: false,
    parse: (input) => parseInput(schema, input),
    accesses: (input) => definition.accesses(schema.parse(input)),
    approval: async () => null,
    present: (input, context) =>
      definition.present(schema.parse(input), { ...context, toolHash: definitionHash }),
    async execute(input, context) {
      try {
        return await definition.execute(schema.parse(input), context)
      } catch (error) {
        return toolError(error)
      }
    },
  }
}

/** Every call has the tools of its worker built anew, of the same schemas. */
const jsonSchemas = new WeakMap<z.ZodType, JsonObject>()

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const known = jsonSchemas.get(schema)
  if (known !== undefined) return known
  const made = z.toJSONSchema(schema, { io: 'input' }) as JsonObject
  delete made.$schema
  jsonSchemas.set(schema, made)
  return made
}

/** What the caller may tell the model; a stale base and what nobody foresaw stay errors. */
function toolError(error: unknown): ToolResult {
  if (error instanceof ToolProblem) {
    return { type: 'error', output: { problem: error.message }, text: error.message }
  }
  if (error instanceof WorkspaceProblem && error.code !== 'stale') {
    const output = { code: error.code, problem: error.message }
    return { type: 'error', output, text: error.message }
  }
  throw error
}

function parseInput<T>(schema: z.ZodType<T>, input: Json): ParsedInput {
  const problems = textProblems(input)
  if (problems.length > 0) return { ok: false, problems }
  const parsed = schema.safeParse(input)
  if (parsed.success) return { ok: true, input: parsed.data as JsonObject }
  return {
    ok: false,
    problems: parsed.error.issues.map((issue) => {
      const at = issue.path.map(String).join('.')
      return at === '' ? issue.message : `${at}: ${issue.message}`
    }),
  }
}
