import { scriptAddress } from '../../api/script-address.ts'
// oxlint-disable-next-line import/default -- the builder makes the address
import address from './paint.worker.ts?worker&url'

/**
 * The address of the web worker that colours code. Its Trusted Types policy is created when the
 * page starts, so that nothing else can take its name (security.md 19).
 */
export const paintWorkerAddress = scriptAddress('countersign-paint-worker', address)
