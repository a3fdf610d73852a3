import { clbApi } from '../../src/alibaba/slb/clb-api.ts';
import { createSlbClient } from '../../src/alibaba/slb/client.ts';
import { regionApi } from '../../src/alibaba/slb/region-lists.ts';
import type { LoadBalancerId, ServerId, VServerGroupId } from '../../src/clb/model/ids.ts';
import { executorBench, scriptedCloud, type ScriptedAnswer } from './scripted-cloud.ts';

/** Returns the adapters of the product for SLB, on a cloud with scripted answers. */
export function scriptedSlb(...answers: ScriptedAnswer[]) {
  const { transport, sent } = scriptedCloud(...answers);
  const client = createSlbClient(executorBench(transport).executor, 'cn-hangzhou');
  return { clb: clbApi(client), region: regionApi(client), sent };
}

export const lb = (id: string) => id as LoadBalancerId;
export const group = (id: string) => id as VServerGroupId;
export const server = (id: string) => id as ServerId;
