import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { callApi } from '../api/call-api.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { announce } from '../states/announce.tsx'

/** Revokes an approval whose call has not started, after a confirmation with a reason. */
export function RevokeApproval({ request }: { request: RequestDetail }) {
  const revoke = async (reason: string): Promise<void> => {
    await callApi('revokeApproval', { params: { id: request.id }, body: { reason } })
    announce('The approval was revoked')
  }
  return (
    <div className="facts-line">
      <ConfirmButton
        label="Revoke the approval…"
        confirm="Revoke the approval"
        cancelLabel="Keep the approval"
        reason={{ isNeeded: true, note: 'Required. Recorded with the request.' }}
        act={revoke}
      />
    </div>
  )
}
