import { z } from 'zod'
import { builtInTools, type AccessOf, type BuiltInToolName } from '#domain/tools/built-in-tools.ts'
import { hashJson } from '#domain/json/digest.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Access } from '#domain/tools/access.ts'
import type {
  ExecuteContext,
  ParsedInput,
  PresentContext,
  CallPresentation,
  Tool,
} from '#domain/tools/tool.ts'
import type { ToolResult } from '#domain/tools/tool-result.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Scope } from '#domain/policy/verdict.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { issueSentences } from './issue-sentences.ts'
import { textProblems } from './text-problems.ts'

/** The parts of a built-in tool besides its declaration; `T` is its canonical input. */
export interface BuiltIn<Name extends BuiltInToolName, T> {
  readonly name: Name
  readonly description: string
  /** its output is the canonical input and parses to itself */
  readonly schema: z.ZodType<T>
  readonly readOnly: boolean
  readonly scopes: readonly Scope[]
  accesses(input: T): readonly AccessOf<Name>[]
  /** see `Tool.touches` */
  touches?(input: T, workspace: Workspace): Promise<readonly Access[]>
  /** see `Tool.commits` */
  readonly commits?: boolean
  /** see `Tool.whyUnchanged`; a `ToolProblem` or `WorkspaceProblem` counts as `null` */
  whyUnchanged?(input: T, workspace: Workspace): Promise<string | null>
  present(
    input: T,
    context: PresentContext & { readonly toolHash: string },
  ): Promise<CallPresentation>
  execute(input: T, context: ExecuteContext): Promise<ToolResult>
}

/** A tool that was made for a declared name. */
export type NamedTool<Name extends BuiltInToolName> = Tool & { readonly name: Name }

/**
 * A built-in tool in the shape for policy and services. Its definition hash covers name,
 * description, schema.
 */
export function defineBuiltIn<Name extends BuiltInToolName, T>(
  definition: BuiltIn<Name, T>,
): NamedTool<Name> {
  const { name, description, schema, readOnly, scopes } = definition
  const { consent, risk } = builtInTools[name]
  const needsPerson = consent === 'approval' || consent === 'answer' ? consent : null
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
    ...(definition.touches === undefined
      ? {}
      : {
          touches: async (input, workspace) =>
            (await definition.touches?.(schema.parse(input), workspace)) ?? [],
        }),
    ...(definition.commits === undefined ? {} : { commits: definition.commits }),
    ...(needsPerson === null ? {} : { needsPerson }),
    approval: async () => {
      if (consent === 'nobody') return 'preApproved'
      return needsPerson === null ? null : 'ask'
    },
    whyUnchanged: async (input, workspace) =>
      (await definition.whyUnchanged?.(schema.parse(input), workspace).catch(orNull)) ?? null,
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

/** The tools of a worker are built for every call, from the same schemas. */
const jsonSchemas = new WeakMap<z.ZodType, JsonObject>()

function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const cachedSchema = jsonSchemas.get(schema)
  if (cachedSchema !== undefined) return cachedSchema
  const jsonSchema = z.toJSONSchema(schema, { io: 'input' }) as JsonObject
  delete jsonSchema.$schema
  jsonSchemas.set(schema, jsonSchema)
  return jsonSchema
}

function orNull(error: unknown): null {
  if (error instanceof ToolProblem || error instanceof WorkspaceProblem) return null
  throw error
}

/** An error for the model; a stale base and unexpected errors are thrown. */
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
  const inputResult = schema.safeParse(input)
  if (inputResult.success) return { ok: true, input: inputResult.data as JsonObject }
  return { ok: false, problems: issueSentences(inputResult.error.issues) }
}
