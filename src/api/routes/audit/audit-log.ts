import { z } from 'zod'
import { proveConsistency } from '#services/audit/log/prove-events.ts'
import { readCheckpoint, readWitnessedCheckpoints } from '#services/audit/log/read-checkpoint.ts'
import { readReceipt } from '#services/audit/log/read-receipt.ts'
import { readTile } from '#services/audit/log/read-tile.ts'
import { readWitnesses, type WitnessStatus } from '#store/audit/witnesses.ts'
import { readHandovers } from '#store/installation-keys.ts'
import { keyReadsAudit } from '../../identity/identity.ts'
import { route } from '../../route/route.ts'
import * as schemas from '../../schemas/audit/audit-log.ts'
import { requestRef } from '../../schemas/common.ts'

function witnessView({ name, size, cosignedAt, isContradicted }: WitnessStatus) {
  return { name, size, cosignedAt: cosignedAt?.toISOString() ?? null, contradicted: isContradicted }
}

/** The log over the trail: checkpoint, receipts, tiles at C2SP's paths (audit.md, Form). */
export const auditLogRoutes = [
  route({
    method: 'get',
    path: '/v1/audit/checkpoint',
    name: 'getCheckpoint',
    summary: 'Get the newest checkpoint',
    description:
      'The newest signed checkpoint of the audit log, the key that verifies it, and the proof that it continues `since`',
    access: { by: 'personOrKey', scope: null },
    query: schemas.checkpointQuery,
    answers: {
      200: {
        description: 'The checkpoint and the key in the formats of C2SP',
        schema: schemas.signedCheckpoint,
      },
    },
    problems: ['not_found'],
    answer: async (api, { query }) => {
      const checkpoint = await readCheckpoint(api.ctx)
      const { note, size, at } = checkpoint
      const vkey = api.settings.evidence.auditKey
      const handovers = await readHandovers(api.ctx.db)
      const [witnessed] = await readWitnessedCheckpoints(api.ctx.db, size)
      const body = {
        checkpoint: note,
        vkey,
        size,
        at: at.toISOString(),
        handovers,
        witnesses: (await readWitnesses(api.ctx.db)).map(witnessView),
        ...(witnessed === undefined ? {} : { witnessed: witnessed.note }),
      }
      if (query.since === undefined) return { status: 200, body }
      const proof =
        query.since < checkpoint.size
          ? await proveConsistency(api.ctx.db, query.since, checkpoint)
          : []
      const consistency = proof.map((hash) => hash.toString('base64'))
      return { status: 200, body: { ...body, consistency } }
    },
  }),
  route({
    method: 'get',
    path: '/v1/requests/:id/receipt',
    name: 'getReceipt',
    summary: "Get a request's receipt",
    description: 'The proof that the audit log has each event of a request',
    access: { by: 'personOrKey', scope: 'requests:read' },
    params: z.object({ id: requestRef }),
    answers: {
      200: { description: 'A receipt, which can be verified offline', schema: schemas.receipt },
    },
    problems: ['not_found'],
    answer: async (api, { params, caller }) => {
      const { note, events, ...receipt } = await readReceipt(api.ctx, caller, {
        request: params.id,
      })
      const proven = events.map(({ index, document, proof }) => ({
        index,
        event: document,
        proof: proof.map((hash) => hash.toString('base64')),
      }))
      const body = {
        ...receipt,
        checkpoint: note,
        vkey: api.settings.evidence.auditKey,
        events: proven,
      }
      return { status: 200, body }
    },
  }),
  route({
    method: 'get',
    path: '/v1/audit/log/checkpoint',
    name: 'getCheckpointNote',
    summary: "Get the checkpoint's note",
    description: 'The newest checkpoint as a note, at the path that C2SP tlog-tiles defines',
    access: { by: 'personOrKey', scope: 'audit:read' },
    answers: { 200: { description: 'A signed note', contentTypes: ['text/plain'] } },
    problems: ['not_found'],
    answer: async (api) => {
      const { note } = await readCheckpoint(api.ctx)
      return (response) => void response.status(200).type('text/plain').send(note)
    },
  }),
  route({
    method: 'get',
    path: '/v1/audit/log/tile/*path',
    name: 'getTile',
    summary: 'Get a tile of the log',
    description: 'A tile of hashes or of entries of the log (C2SP tlog-tiles)',
    access: { by: 'personOrKey', scope: 'audit:read' },
    params: schemas.tileParams,
    answers: {
      200: { description: 'The tile’s bytes', contentTypes: ['application/octet-stream'] },
    },
    problems: ['not_found'],
    answer: async (api, { params, caller, identity }) => {
      const bytes = await readTile(api.ctx, caller, {
        path: ['tile', ...params.path].join('/'),
        keyReadsAudit: keyReadsAudit(identity),
      })
      return (response) => void response.status(200).type('application/octet-stream').send(bytes)
    },
  }),
]
