import { z } from 'zod'
import { callWorkerName, createWorkerName } from '#domain/tools/built-in-tools.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { limits } from '#domain/limits.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { attachmentAccesses } from '#policy/judge/consent/delegation.ts'
import type { Policy } from '#policy/policy.ts'
import type { WorkerDefinition } from '#policy/worker-definition.ts'
import { defineBuiltIn, type NamedTool } from '../definition/define-built-in.ts'
import { loadExisting } from '../files/load-version.ts'
import { filePath } from '../definition/path-field.ts'
import { makePresentation } from '../presentations/make-presentation.ts'
import { titleLine } from '../presentations/structured.ts'
import { textWarnings } from '../presentations/text-warnings.ts'

const description =
  'Hand a task to another worker, which works on it in a run of its own, and wait for its final message. The attachments are files of yours that it may read.'

const schema = z.strictObject({
  worker: z.string().min(1).max(64).describe('Which worker.'),
  input: z
    .union([z.string().min(1).max(limits.runInputCharacters), z.record(z.string(), z.unknown())])
    .describe('The task: text, or an object.'),
  attachments: z
    .array(filePath('Path of a file, relative to the workspace root.'))
    .max(limits.attachmentsPerCall)
    .refine((paths) => new Set(paths).size === paths.length, 'A file is attached twice.')
    .default([]),
})

/** The canonical input of a delegation. */
export interface Delegation {
  readonly worker: string
  readonly input: string | JsonObject
  readonly attachments: readonly string[]
}

/** The canonical input that the tool's own `parse` gave; its schema guarantees the shape. */
export function delegationOf(input: JsonObject): Delegation {
  return schema.parse(input) as Delegation
}

/**
 * Delegates work to another worker (workers-and-policy.md). It asks unless the worker file says
 * otherwise. The tool only declares and presents: the transaction that claims the call starts a run
 * (services/engine/delegation).
 */
export function callWorker(
  policy: Policy,
  worker: WorkerDefinition,
): NamedTool<typeof callWorkerName> {
  const builtIn = defineBuiltIn({
    name: callWorkerName,
    description,
    schema,
    readOnly: false,
    scopes: ['once', 'run'],
    accesses: ({ attachments }) => attachmentAccesses(attachments),

    async present(input, { workspace, toolHash }) {
      const delegation = input as Delegation
      const target = policy.workers.get(delegation.worker)
      if (target === undefined) throw new ToolProblem(`There is no worker ${delegation.worker}.`)
      const attachments = await attachedFiles(workspace, delegation.attachments)
      const content = previewText(delegation, target, attachments)
      return {
        title: titleLine(`Call worker ${target.name}: ${inputText(delegation)}`),
        presentation: makePresentation({
          type: 'text',
          language: null,
          content,
          metadata: {
            worker: target.name,
            workerDigest: target.digest,
            model: target.model,
            attachments: attachments.map((file) => ({ ...file })),
          },
          warnings: textWarnings(content.split('\n')),
        }),
        facts: {
          toolHash,
          bases: attachments.map(({ path, hash }) => ({ path, hash })),
          detail: {
            worker: target.name,
            workerDigest: target.digest,
            attachments: attachments.map((file) => ({ ...file })),
          },
        },
        content: Buffer.from(content),
        contentType: 'text/plain',
      }
    },

    async execute() {
      throw new ToolProblem('A delegation is carried out as a run of its own.')
    },
  })
  return {
    ...builtIn,
    // The model's description names the targets; the definition that approvals depend on must not
    // change with them.
    description: [description, ...targetLines(policy, worker)].join('\n'),
  }
}

function targetLines(policy: Policy, worker: WorkerDefinition): string[] {
  const lines = worker.workers.map((name) => targetLine(policy, name))
  if (!worker.tools.has(createWorkerName)) return lines
  return [...lines, `- any worker that this run has written with ${createWorkerName}`]
}

function targetLine(policy: Policy, name: string): string {
  const target = policy.workers.get(name)
  return titleLine(`- ${name}${target?.description ? `: ${target.description}` : ''}`)
}

/** A file as it is handed over. */
export interface AttachedFile {
  readonly path: string
  readonly bytes: number
  readonly hash: string
}

async function attachedFiles(
  workspace: Workspace,
  paths: readonly string[],
): Promise<readonly AttachedFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      const { bytes, hash } = await loadExisting(workspace, path)
      return { path, bytes, hash }
    }),
  )
}

/** The input comes last, so that nothing in it can look like one of the facts above it. */
function previewText(
  delegation: Delegation,
  target: WorkerDefinition,
  attachments: readonly AttachedFile[],
): string {
  const files = attachments.map(({ path, bytes, hash }) => `  ${path}  ${bytes} bytes  ${hash}`)
  return [
    `Worker: ${target.name}${target.description === '' ? '' : ` (${titleLine(target.description)})`}`,
    `Attachments: ${files.length === 0 ? 'none' : files.length}`,
    ...files,
    'Input, to the end:',
    inputText(delegation),
    '',
  ].join('\n')
}

/** The task of a delegation as text. */
export function inputText({ input }: Pick<Delegation, 'input'>): string {
  return typeof input === 'string' ? input : JSON.stringify(input, null, 2)
}
