import type { RequestDetail } from '#api/schemas/requests/requests.ts'

/** That the call is not as it was asked, and who changed it. */
export function RevisionNote({ opened }: { opened: RequestDetail }) {
  if (opened.revision === 1) return null
  const editor = opened.revisions.find(({ revision }) => revision === opened.revision)?.editor
  return (
    <p className="small dim">
      You decide revision {opened.revision}
      {editor ? `: ${editor.name} changed the call` : ''}.
    </p>
  )
}
