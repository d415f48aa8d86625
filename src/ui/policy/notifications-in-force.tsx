import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { DeliveryList } from '../deliveries/delivery-list.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { VisibleText } from '../text/visible-text.tsx'

/**
 * The endpoints of notifications and the deliveries that failed for good. Needs the right to read
 * the trail or to activate versions.
 */
export function NotificationsInForce() {
  const { rights } = useMe().person
  const maySee = rights.includes('activatePolicy') || rights.includes('readAudit')
  return maySee ? <Notifications mayResend={rights.includes('activatePolicy')} /> : null
}

function Notifications({ mayResend }: { mayResend: boolean }) {
  const [dead, setDead] = useState(true)
  const endpoints = useQuery({
    queryKey: ['endpoints'],
    queryFn: ({ signal }) => callApi('listWebhooks', { signal }),
  })
  return (
    <section className="card column" aria-labelledby="notifications-title">
      <h2 id="notifications-title">Notifications</h2>
      {endpoints.isPending && <Loading what="the endpoints" lines={2} />}
      <Failure query={endpoints} />
      {endpoints.data?.items.length === 0 && (
        <p className="dim">
          Nobody is notified: configure webhooks, email or slack in countersign.yaml.
        </p>
      )}
      <ul className="plain-list">
        {endpoints.data?.items.map((one) => (
          <li key={one.name} className="small endpoint-row">
            <span>
              <strong>
                <VisibleText text={one.name} />
              </strong>{' '}
              at <VisibleText text={one.origin} />: {one.pending} waiting, {one.dead} given up
              {one.gone && '; it answered 410 and gets no more: send one again, or change its url'}
            </span>
          </li>
        ))}
      </ul>
      <h3>Deliveries</h3>
      <Checkbox
        label="Only deliveries that were given up"
        checked={dead}
        onChange={(event) => setDead(event.currentTarget.checked)}
      />
      <DeliveryList
        filter={{ mine: false, dead }}
        mayResend={mayResend}
        none={dead ? 'No delivery was given up.' : 'No deliveries yet.'}
      />
    </section>
  )
}
