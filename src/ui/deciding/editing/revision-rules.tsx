import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { placeText } from '#domain/deciding/quorum.ts'
import { Notice } from '../../states/notice.tsx'

/** What a change means for the decision, and whether enough people are left to make it. */
export function RevisionRules({ request }: { request: RequestDetail }) {
  const missing = request.missingAfterEdit.map(placeText).join(' and ')
  return (
    <>
      {missing !== '' && (
        <Notice tone="bad" title="Too few people could approve your change">
          Who changes a call does not decide it. Without you the quorum lacks {missing}: the request
          would wait until somebody joins, or expire. You can deny it and say what should change.
        </Notice>
      )}
      <p className="small dim">
        Policy judges the changed call again, and earlier votes no longer count.
      </p>
    </>
  )
}
