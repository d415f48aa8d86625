import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { pageUrl, type Service } from '../service/service.ts'

/**
 * Where to approve a request that needs a passkey's signature, which a terminal cannot give; `null`
 * if none is needed.
 */
export function whereToSign(
  service: Service,
  request: Pick<RequestDetail, 'number' | 'signatureRequired'>,
): string | null {
  if (!request.signatureRequired) return null
  const page = pageUrl(service, `/requests/${request.number}`)
  return `This approval needs a signature with your passkey, which the terminal cannot make: open ${page}`
}
