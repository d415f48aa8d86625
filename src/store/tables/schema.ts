import type { AuditTables } from './audit.ts'
import type { ContentTables } from './content.ts'
import type { DecisionTables } from './decisions.ts'
import type { DeliveryTables } from './deliveries.ts'
import type { GatewayTables } from './gateway.ts'
import type { InstallationTables } from './installation.ts'
import type { PeopleTables } from './people.ts'
import type { PolicyTables } from './policy.ts'
import type { RequestTables } from './requests.ts'
import type { RunTables } from './runs.ts'
import type { ScheduleTables } from './schedules.ts'

/** Every table. `bigint` columns arrive as strings. */
export interface Database
  extends
    AuditTables,
    ContentTables,
    DecisionTables,
    DeliveryTables,
    GatewayTables,
    InstallationTables,
    PeopleTables,
    PolicyTables,
    RequestTables,
    RunTables,
    ScheduleTables {}
