import { watchLoop } from './loop-turns.ts'

/** A process whose loop is watched, and which blocks its loop for ever on request. */
const page = { contentType: 'text/plain', text: async () => 'figures\n' }
const watched = await watchLoop({
  lateMs: 1_000,
  wedgedMs: Number(process.argv[2]),
  address: { host: '127.0.0.1', port: 0 },
  page,
})
process.stdout.write(`${watched.port}\n`)
process.stdin.once('data', () => {
  for (;;);
})
