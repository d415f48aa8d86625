import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import type { RequestItem } from '#api/schemas/requests/request-item.ts'
import { requestQuery } from '../../api/queries.ts'
import { useFullyViewed } from '../../effect/seeing/use-seen.ts'
import { Effect } from '../../effect/effect.tsx'
import { Failure } from '../../states/failure.tsx'
import { Loading } from '../../states/loading.tsx'
import { SecretsContext, useRequestSecrets } from '../../text/secret-chips.tsx'
import { ItemLine, LeaveOutButton } from './bulk-lists.tsx'

/** The shown revision of one request, which an approval names. */
export interface SeenItem {
  readonly digest: string
  readonly revision: number
  readonly seen: string
}

/**
 * One of several requests to approve: what will happen, and whether all of it has been on the
 * screen (product.md 39).
 */
export function BulkItem(props: {
  item: RequestItem
  onSeen: (id: string, fullyViewed: SeenItem | null) => void
  onRemove: () => void
}) {
  const { item } = props
  const query = useQuery(requestQuery(item.id))
  // The opened revision stays, because nobody has seen a newer one.
  const [detail, setDetail] = useState<RequestDetail | null>(null)
  if (detail === null && query.data !== undefined) setDetail(query.data)
  const changed =
    detail !== null && query.data !== undefined && query.data.revision !== detail.revision
  return (
    <li className="column">
      <div className="row">
        <ItemLine item={item}>
          <LeaveOutButton item={item} onRemove={props.onRemove} />
        </ItemLine>
      </div>
      {query.isError && detail === null && <Failure query={query} />}
      {query.isPending && <Loading what={`#${item.number}`} lines={3} />}
      {changed && (
        <p role="alert">Somebody has changed it since you opened it: decide it on its page.</p>
      )}
      {detail !== null && <Opened request={detail} changed={changed} onSeen={props.onSeen} />}
    </li>
  )
}

function Opened(props: {
  request: RequestDetail
  changed: boolean
  onSeen: (id: string, fullyViewed: SeenItem | null) => void
}) {
  const { request, changed, onSeen } = props
  const { id, digest, revision, presentation } = request
  const [region, setRegion] = useState<HTMLElement | null>(null)
  const [allVisible, setAllVisible] = useState(false)
  const secrets = useRequestSecrets(id, revision)
  const complete = allVisible && !presentation.truncated && secrets.allRevealed
  const fullyViewed = useFullyViewed(region, presentation.digest, complete) && !changed
  useEffect(() => {
    onSeen(id, fullyViewed ? { digest, revision, seen: presentation.digest } : null)
  }, [id, digest, revision, presentation.digest, fullyViewed, onSeen])
  return (
    <>
      <SecretsContext value={secrets.registry}>
        <Effect
          request={request}
          ownsKeys={false}
          onRegion={setRegion}
          onAllVisible={setAllVisible}
        />
      </SecretsContext>
      <p className="small" role="status">
        {fullyViewed ? (
          <span className="ok">Seen in full</span>
        ) : presentation.truncated ? (
          'Not shown in full here: approve it on its page.'
        ) : secrets.allRevealed ? (
          'Not seen in full yet: it counts after all of it was on the screen.'
        ) : (
          'It counts after every masked value was revealed.'
        )}
      </p>
    </>
  )
}
