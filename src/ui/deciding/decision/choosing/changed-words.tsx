import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { Moment } from '../../../text/time.tsx'

/** Who changed a request and when, and which revision the person was reading. */
export function ChangedWords(props: {
  current: Pick<RequestDetail, 'revision' | 'revisions'>
  /** the number of the revision that was opened */
  revision: number
}) {
  const { current, revision } = props
  const newest = current.revisions.at(-1)
  return (
    <>
      {newest !== undefined && newest.editor !== null ? (
        <>
          {newest.editor.name} changed it at <Moment at={newest.at} />: it
        </>
      ) : (
        'It'
      )}{' '}
      is revision {current.revision} now; you were reading revision {revision}.
    </>
  )
}
