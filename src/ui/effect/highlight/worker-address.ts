import { scriptAddress } from '../../api/script-address.ts'
// oxlint-disable-next-line import/default -- the builder makes the address
import address from './paint.worker.ts?worker&url'

/**
 * The address of the worker that colours code. Its policy is made when the page starts, so that no
 * other can take its name (security.md 19).
 */
export const paintWorkerAddress = scriptAddress('countersign-paint-worker', address)
