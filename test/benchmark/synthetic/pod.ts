import { READINESS_GATE } from '../../../src/controller/kubernetes-interface.ts';
import { CREATED, MANAGED_FIELDS, nodeOf, podAddress, podName, uid, type Size } from './names.ts';

/** Every hundredth Service has pods with a readiness gate. */
const GATED = 100;
const isGated = (service: number): boolean => service % GATED === 0;
const GATE = `${READINESS_GATE}{APP}`;

/** Returns the text of a pod with placeholders, about 5 KB as created by a Deployment. */
const textOf = (isWaiting: boolean): string =>
  JSON.stringify({
    metadata: {
      name: '{NAME}',
      generateName: '{APP}-7d9f8b6c54-',
      namespace: '{NAMESPACE}',
      uid: '{UID}',
      resourceVersion: '{VERSION}',
      creationTimestamp: CREATED,
      labels: { app: '{APP}', 'pod-template-hash': '7d9f8b6c54' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: '{APP}-7d9f8b6c54', uid: uid(9, 1), controller: true },
      ],
      managedFields: MANAGED_FIELDS,
    },
    spec: {
      ...(isWaiting ? { readinessGates: [{ conditionType: GATE }] } : {}),
      nodeName: '{NODE}',
      containers: ['program', 'sidecar'].map((name) => ({
        name,
        image: `images.example/team/${name}:1.2.3`,
        env: Array.from({ length: 12 }, (_, at) => ({ name: `SETTING_${at}`, value: `the value of setting ${at}` })),
        ports: [{ containerPort: 8080, protocol: 'TCP' }],
        readinessProbe: {
          httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' },
          periodSeconds: 10,
          timeoutSeconds: 1,
        },
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m', memory: '256Mi' } },
        volumeMounts: [
          { name: 'kube-api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
        ],
      })),
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      serviceAccountName: 'default',
      schedulerName: 'default-scheduler',
    },
    status: {
      phase: 'Running',
      podIP: '{ADDRESS}',
      conditions: [
        ...['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
          ...{ type, status: 'True', lastProbeTime: null, lastTransitionTime: CREATED },
        })),
        ...(isWaiting ? [{ type: GATE, status: 'True', reason: 'ServerRegistered', lastTransitionTime: CREATED }] : []),
      ],
      containerStatuses: ['program', 'sidecar'].map((name) => ({
        name,
        ready: true,
        restartCount: 0,
        image: `images.example/team/${name}:1.2.3`,
        imageID: `images.example/team/${name}@sha256:${uid(8, 1).repeat(2)}`,
        state: { running: { startedAt: CREATED } },
      })),
    },
  });

/** Splits the template at its placeholders: once, instead of for each of a hundred thousand pods. */
const partsOf = (isWaiting: boolean): readonly string[] => textOf(isWaiting).split(/\{([A-Z]+)\}/);
const PARTS = { waiting: partsOf(true), other: partsOf(false) };

/** Returns the text of a pod: with the default version for a list, and with a new version for a watch event. */
export function podText(pod: number, size: Size, version = pod + 1): string {
  const service = Math.floor(pod / size.podsPerService);
  const holes: Readonly<Record<string, string>> = {
    NAME: podName(service, pod),
    APP: `service-${service}`,
    NAMESPACE: `team-${service % 100}`,
    UID: uid(3, pod),
    VERSION: String(version),
    NODE: `node-${nodeOf(pod, size)}`,
    ADDRESS: podAddress(pod),
  };
  const parts = isGated(service) ? PARTS.waiting : PARTS.other;
  return parts.map((part, at) => (at % 2 === 0 ? part : (holes[part] ?? ''))).join('');
}
