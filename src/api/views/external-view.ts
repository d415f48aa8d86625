import type {
  ExternalItemRecord,
  ExternalRecord,
} from '#services/requests/facts/external-record.ts'
import type { ExternalItemView, ExternalView } from '../schemas/requests/external-request.ts'

/** The program that asked, as lists show it. */
export function externalItemView(record: ExternalItemRecord): ExternalItemView {
  const { key, onBehalfOf, owner } = record
  return {
    ...record,
    key: { ...key },
    owner: { ...owner },
    onBehalfOf: onBehalfOf === null ? null : { ...onBehalfOf },
  }
}

/** Everything about it, its own words as they came; `null` for requests of runs. */
export function externalView(record: ExternalRecord | null): ExternalView | null {
  if (record === null) return null
  const { claim, consumed, metadata, origin, outcome, permitExpiresAt, ...item } = record
  return {
    ...externalItemView(item),
    claim:
      claim === null
        ? null
        : {
            title: claim.title,
            presentation: claim.presentation === null ? null : { ...claim.presentation },
          },
    metadata: metadata === null ? null : { ...metadata },
    origin: origin === null ? null : originView(origin),
    permitExpiresAt: permitExpiresAt?.toISOString() ?? null,
    consumed: consumed === null ? null : { at: consumed.at.toISOString(), by: { ...consumed.by } },
    outcome: outcome === null ? null : { ...outcome, at: outcome.at.toISOString() },
  }
}

function originView({
  files,
  git,
  ...origin
}: NonNullable<ExternalRecord['origin']>): NonNullable<ExternalView['origin']> {
  return {
    ...origin,
    ...(git === undefined ? {} : { git: { ...git } }),
    ...(files === undefined ? {} : { files: files.map((file) => ({ ...file })) }),
  }
}
