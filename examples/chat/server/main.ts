import { createServer } from 'node:http'
import { env } from 'node:process'
import { readPages } from './pages.ts'
import { chatHandler } from './chat-handler.ts'

const { COUNTERSIGN_URL, COUNTERSIGN_API_KEY, WORKER = 'scribe', PORT = '4500' } = env
if (COUNTERSIGN_URL === undefined || COUNTERSIGN_API_KEY === undefined) {
  throw new Error('Set COUNTERSIGN_URL and COUNTERSIGN_API_KEY')
}

const handler = chatHandler({
  url: COUNTERSIGN_URL,
  apiKey: COUNTERSIGN_API_KEY,
  worker: WORKER,
  pages: await readPages(new URL('../dist/', import.meta.url)),
})
// Everybody who reaches this server acts with its key, so it listens on this machine only.
createServer(handler).listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://localhost:${PORT}`)
})
