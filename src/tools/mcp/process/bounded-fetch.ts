/** No answer of a server is longer. */
const mostAnswerBytes = 64 * 1024 * 1024

/** `fetch` whose answers end with an error beyond the bound, whatever their kind. */
export async function boundedFetch(...given: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...given)
  if (response.body === null) return response
  let bytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.length
        if (bytes <= mostAnswerBytes) controller.enqueue(chunk)
        else controller.error(new Error(`its answer has more than ${mostAnswerBytes} bytes`))
      },
    }),
  )
  const { status, statusText, headers } = response
  return new Response(counted, { status, statusText, headers })
}
