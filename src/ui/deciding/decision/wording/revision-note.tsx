import type { RequestDetail } from '#api/schemas/requests/requests.ts'

/** Says that the call was changed, and by whom. */
export function RevisionNote({ request }: { request: RequestDetail }) {
  if (request.revision === 1) return null
  const editor = request.revisions.find(({ revision }) => revision === request.revision)?.editor
  return (
    <p className="small dim">
      You decide revision {request.revision}
      {editor ? `: ${editor.name} changed the call` : ''}.
    </p>
  )
}
