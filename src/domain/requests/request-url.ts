/** The address of the page of a request, by the address of the service for people. */
export function requestUrl(publicUrl: string, requestId: string): string {
  return `${publicUrl}/requests/${requestId}`
}
