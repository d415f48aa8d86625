import { workerData } from 'node:worker_threads'
import { send } from '../threads/run-in-thread.ts'
import { countHashedLines, type HashedSides } from './line-hashes.ts'

/** Runs in a worker thread: the lines that changed between pairs of sides (line-hashes.ts). */
send('loaded')
send(countHashedLines(workerData as readonly HashedSides[]))
