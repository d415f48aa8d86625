import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, expect, it } from 'vitest'
import { localCertificate } from '#test/harness/fixtures/keys/local-certificate.ts'
import { closeServer, listenHere } from '#test/harness/listen.ts'
import { sendWebhook } from './send-webhook.ts'

const authorities = getCACertificates('default')
afterEach(() => setDefaultCACertificates(authorities))

/** A receiver on this machine with a certificate of an authority that only the operator knows. */
async function openTlsReceiver() {
  const received: string[] = []
  const server = createServer({ ...localCertificate }, (request, response) => {
    void text(request).then((body) => {
      received.push(`${request.headers.host} ${body}`)
      response.writeHead(204).end()
    })
  })
  // A client that does not trust it is what one test is about.
  server.on('tlsClientError', () => undefined)
  const port = await listenHere(server)
  return {
    port,
    received,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

const send = (url: string) =>
  sendWebhook({
    url,
    headers: {},
    body: '{"id":1}',
    allow: ['127.0.0.1'],
    isDevelopment: false,
    timeoutMs: 60_000,
    stopping: new AbortController().signal,
    resolve: async () => ['127.0.0.1'],
  })

// Rules: security.md 23
it('delivers over TLS to a private address that is allowed, if its authority is trusted', async () => {
  await using receiver = await openTlsReceiver()
  setDefaultCACertificates([...authorities, localCertificate.cert])
  const url = `https://localhost:${receiver.port}/hook`
  expect(await send(url)).toEqual({ status: 204, error: null })
  expect(receiver.received).toEqual([`localhost:${receiver.port} {"id":1}`])
})

// Rules: security.md 23
it('sends nothing to a server with an untrusted certificate, or with one of another name', async () => {
  await using receiver = await openTlsReceiver()
  const untrusted = await send(`https://localhost:${receiver.port}/`)
  expect(untrusted).toMatchObject({ status: null, error: expect.stringContaining('self-signed') })
  setDefaultCACertificates([...authorities, localCertificate.cert])
  const other = await send(`https://hooks.example.com:${receiver.port}/`)
  expect(other).toMatchObject({ status: null, error: expect.stringContaining('altnames') })
  expect(receiver.received).toEqual([])
})
