import { effectOf } from '../channels/effect-of.ts'
import type { Happening } from '../channels/happening.ts'

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
