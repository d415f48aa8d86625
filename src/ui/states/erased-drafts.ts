import { callApi } from '../api/call-api.ts'
import { removeErasedDrafts, requestsWithErasableDrafts } from './draft.ts'

/**
 * Removes the drafts of a person that may quote contents that were erased, of the request or of all
 * requests with such drafts in this tab. A request that cannot be read now is looked at again when
 * the page is loaded again.
 */
export async function forgetErasedDrafts(personId: string, requestId?: string): Promise<void> {
  for (const id of requestsWithErasableDrafts(personId)) {
    if (requestId !== undefined && id !== requestId) continue
    const request = await callApi('getRequest', { params: { id } }).catch(() => null)
    if (request !== null && request.erased !== null) removeErasedDrafts(id, personId)
  }
}
