import { hashBytes } from '../../domain/digest.ts'
import { maskSecrets } from '../../domain/text/secrets.ts'

const fileTools: ReadonlySet<string> = new Set([
  'write_file',
  'edit_file',
  'delete_file',
  'move_file',
  'read_file',
])
const longestTitle = 300

/** What happened, and to what, as stored. */
export interface Happening {
  readonly eventId: string
  readonly type: string
  readonly at: Date
  readonly request: RequestFacts | null
  readonly run: RunFacts | null
}

export interface RequestFacts {
  readonly id: string
  readonly number: string
  readonly kind: string
  readonly state: string
  readonly revision: number
  readonly queue: string
  readonly risk: string
  readonly tool: string
  readonly title: string
  readonly run_id: string | null
  readonly expires_at: Date
}

export interface RunFacts {
  readonly id: string
  readonly worker: string
  readonly state: string
}

/** The body of a notification: a CloudEvents 1.0 envelope in JSON, with ids and what a list shows, never arguments. */
export function cloudEvent(happening: Happening, publicUrl: string): string {
  const { request, run } = happening
  const page = request === null ? `/runs/${run?.id ?? ''}` : `/requests/${request.id}`
  return JSON.stringify({
    specversion: '1.0',
    id: happening.eventId,
    source: publicUrl,
    type: `countersign.${happening.type}`,
    subject: request?.id ?? run?.id,
    time: happening.at.toISOString(),
    datacontenttype: 'application/json',
    data: {
      ...(request === null
        ? {}
        : {
            requestId: request.id,
            number: Number(request.number),
            kind: request.kind,
            state: request.state,
            revision: request.revision,
            queue: request.queue,
            risk: request.risk,
            tool: request.tool,
            title: effectOf(request),
            expiresAt: request.expires_at.toISOString(),
          }),
      ...(run === null ? {} : { runId: run.id, worker: run.worker, runState: run.state }),
      url: publicUrl + page,
    },
  })
}

/** One line on the effect. Titles of file tools name the file; all others may be made of the arguments (security.md 23). */
function effectOf({ kind, tool, title }: RequestFacts): string {
  if (kind === 'question') return 'A question for a person'
  if (tool === 'exec' || tool === 'shell') return 'Run a command'
  if (kind === 'external' || !fileTools.has(tool)) return `Call ${tool}`
  const masked = maskSecrets(title, hashBytes)
  return masked.length <= longestTitle ? masked : `${masked.slice(0, longestTitle)}…`
}
