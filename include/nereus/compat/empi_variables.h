/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The variables and further constants of FlexMPI's header: a part of empi.h, which includes it.
 *
 * Times of resizes are right (docs/reference/compat.md names them); all others are 0, and what is written into them is
 * not looked at. Those whose types are FlexMPI's own are not there.
 */
#ifndef NEREUS_COMPAT_EMPI_VARIABLES_H
#define NEREUS_COMPAT_EMPI_VARIABLES_H

/** Policies and kinds of data, by which programs call nothing that does something here. */
#define EMPI_EFFICIENCY 312341
#define EMPI_EFFICIENCY_IRR 312910
#define EMPI_COST 391021
#define EMPI_COST_IRR 310494
#define EMPI_LBALANCE 357831
#define EMPI_MALLEABILITY 341219
#define EMPI_MALLEABILITY_COND 391000
#define EMPI_MALLEABILITY_TRIG 391050
#define EMPI_MONITORDBG 303891
#define EMPI_SPARSE 434589
#define EMPI_VECTOR 458910
#define EMPI_DENSE 464890
#define EMPI_VAR 457682
static const int EMPI_MAX_FILENAME = 1024;
static const int EMPI_MAX_LINE_LENGTH = 32768;
static const int EMPI_MAX_NPROCS = 24;
static const int EMPI_CBAL = 182919;
static const int EMPI_CUSER = 192018;
static const int EMPI_TRUE = 674321;
static const int EMPI_FALSE = 684312;
static const int EMPI_ERROR = 939199;
static const int EMPI_STRUCT_DENSE = 534321;
static const int EMPI_STRUCT_SPARSE = 544312;
static const int EMPI_STATIC = 324542;
static const int EMPI_DYNAMIC = 325765;
static const int EMPI_END = 921028;
static const int EMPI_TO_REMOVE = 792214;
static const int EMPI_LBMFLOPS = 854392;
static const int EMPI_LBCOUNTS = 829010;
static const int EMPI_LBSTATIC = 829099;
static const int EMPI_ROWS = 748838;
static const int EMPI_NNZ = 782891;
static const int EMPI_FCOST = 728191;
static const int EMPI_BALANCED = 189312;
static const int EMPI_UNBALANCED = 135894;
static const int EMPI_BURST = 225615;
static const int EMPI_LONG_TERM = 234684;
static const int EMPI_AVAIL_NODE = 678292;
static const int EMPI_OCCUP_NODE = 627543;
static const int EMPI_DEDICATED = 689894;
static const int EMPI_NON_DEDICATED = 685138;
static const int EMPI_TREAL = 896646;
static const int EMPI_TCPU = 877789;
static const int EMPI_ADAPTABILITY_EX = 743289;
static const int EMPI_ADAPTABILITY_LP = 718291;
static const int EMPI_COMMBUFFSIZE = 2048;
static const int EMPI_COMMNPACK = 10;
static const int EMPI_COMMNUMOPTIONS = 10;

/** X(type, name) for each. */
#define NEREUS_EMPI_VARIABLES(X)                                                                                       \
    X(int, EMPI_GLOBAL_recvport)                                                                                       \
    X(int, EMPI_GLOBAL_sendport)                                                                                       \
    X(int, EMPI_GLOBAL_nhosts)                                                                                         \
    X(double, EMPI_GLOBAL_percentage)                                                                                  \
    X(int, EMPI_GLOBAL_lbalance)                                                                                       \
    X(int, EMPI_GLOBAL_maxprocs)                                                                                       \
    X(int, EMPI_GLOBAL_minprocs)                                                                                       \
    X(double, EMPI_GLOBAL_comm_prev)                                                                                   \
    X(double, EMPI_GLOBAL_over_si)                                                                                     \
    X(int, EMPI_GLOBAL_niter)                                                                                          \
    X(int, EMPI_GLOBAL_niter_lb)                                                                                       \
    X(int, EMPI_GLOBAL_wpolicy)                                                                                        \
    X(int, EMPI_GLOBAL_lbpolicy)                                                                                       \
    X(int *, EMPI_GLOBAL_vcounts)                                                                                      \
    X(int *, EMPI_GLOBAL_displs)                                                                                       \
    X(int, EMPI_GLOBAL_capture_comms)                                                                                  \
    X(int, EMPI_GLOBAL_mpolicy)                                                                                        \
    X(int, EMPI_GLOBAL_concurrency)                                                                                    \
    X(int, EMPI_GLOBAL_hostid)                                                                                         \
    X(int, EMPI_GLOBAL_nhclasses)                                                                                      \
    X(int, EMPI_GLOBAL_lbalance_disabled)                                                                              \
    X(int, EMPI_GLOBAL_perform_load_balance)                                                                           \
    X(int, EMPI_GLOBAL_nextrm)                                                                                         \
    X(int, EMPI_GLOBAL_initnc)                                                                                         \
    X(int, EMPI_GLOBAL_status)                                                                                         \
    X(int, EMPI_GLOBAL_type)                                                                                           \
    X(int, EMPI_GLOBAL_allocation)                                                                                     \
    X(double, EMPI_GLOBAL_obj_texec)                                                                                   \
    X(double, EMPI_GLOBAL_cum_cost)                                                                                    \
    X(double, EMPI_GLOBAL_cum_time)                                                                                    \
    X(double, EMPI_GLOBAL_obj_texec_threshold)                                                                         \
    X(double, EMPI_GLOBAL_spawn_cost)                                                                                  \
    X(double, EMPI_GLOBAL_remove_cost)                                                                                 \
    X(int, EMPI_GLOBAL_spolicy)                                                                                        \
    X(int, EMPI_GLOBAL_iteration)                                                                                      \
    X(double, EMPI_GLOBAL_tcomp)                                                                                       \
    X(double, EMPI_GLOBAL_tcomm)                                                                                       \
    X(double, EMPI_GLOBAL_tover)                                                                                       \
    X(double, EMPI_GLOBAL_tio)                                                                                         \
    X(double, EMPI_GLOBAL_tcomm_itinit)                                                                                \
    X(double, EMPI_GLOBAL_tcomm_interval)                                                                              \
    X(double, EMPI_GLOBAL_tio_itinit)                                                                                  \
    X(double, EMPI_GLOBAL_tio_interval)                                                                                \
    X(double, EMPI_GLOBAL_tcomp_ini)                                                                                   \
    X(double, EMPI_GLOBAL_tcomp_fin)                                                                                   \
    X(double, EMPI_GLOBAL_tcomm_ini)                                                                                   \
    X(double, EMPI_GLOBAL_tcomm_fin)                                                                                   \
    X(double, EMPI_GLOBAL_tio_last)                                                                                    \
    X(double, EMPI_GLOBAL_tio_ini)                                                                                     \
    X(double, EMPI_GLOBAL_tio_fin)                                                                                     \
    X(int, EMPI_GLOBAL_socket)                                                                                         \
    X(double, EMPI_GLOBAL_dummyIO)                                                                                     \
    X(double, EMPI_GLOBAL_iterative_ini)                                                                               \
    X(double, EMPI_GLOBAL_iterative_end)                                                                               \
    X(long long, EMPI_GLOBAL_tover_ini)                                                                                \
    X(double, EMPI_GLOBAL_threshold)                                                                                   \
    X(double, EMPI_GLOBAL_Load_threshold)                                                                              \
    X(int, EMPI_GLOBAL_self_adaptation)                                                                                \
    X(double, EMPI_GLOBAL_alpha)                                                                                       \
    X(double, EMPI_GLOBAL_beta)                                                                                        \
    X(double, EMPI_GLOBAL_bandwidth)                                                                                   \
    X(double, EMPI_GLOBAL_gamma)                                                                                       \
    X(float, EMPI_GLOBAL_sampling_time)                                                                                \
    X(int, EMPI_GLOBAL_hsteps)                                                                                         \
    X(int *, EMPI_GLOBAL_hmon)                                                                                         \
    X(int, EMPI_GLOBAL_hpos)                                                                                           \
    X(int, EMPI_GLOBAL_nc)                                                                                             \
    X(int, EMPI_GLOBAL_PAPI_init)                                                                                      \
    X(long long, EMPI_GLOBAL_PAPI_rtime)                                                                               \
    X(long long, EMPI_GLOBAL_PAPI_rtime_init)                                                                          \
    X(long long, EMPI_GLOBAL_PAPI_ptime)                                                                               \
    X(long long, EMPI_GLOBAL_PAPI_ptime_init)                                                                          \
    X(long long, EMPI_GLOBAL_PAPI_flops)                                                                               \
    X(long long, EMPI_GLOBAL_PAPI_hwpc_1)                                                                              \
    X(long long, EMPI_GLOBAL_PAPI_hwpc_2)                                                                              \
    X(int, EMPI_GLOBAL_PAPI_eventSet)                                                                                  \
    X(int, EMPI_GLOBAL_corebinding)                                                                                    \
    X(int, EMPI_GLOBAL_delayio)                                                                                        \
    X(double, EMPI_GLOBAL_delayiotime)                                                                                 \
    X(long long, EMPI_GLOBAL_PAPI_rtime_lb)                                                                            \
    X(long long, EMPI_GLOBAL_PAPI_ptime_lb)                                                                            \
    X(long long, EMPI_GLOBAL_PAPI_flops_lb)                                                                            \
    X(long long, EMPI_GLOBAL_PAPI_hwpc_1_lb)                                                                           \
    X(long long, EMPI_GLOBAL_PAPI_hwpc_2_lb)                                                                           \
    X(double, EMPI_GLOBAL_tcomm_interval_lb)                                                                           \
    X(double, EMPI_GLOBAL_overhead_rpolicy)                                                                            \
    X(double, EMPI_GLOBAL_overhead_lbalance)                                                                           \
    X(double, EMPI_GLOBAL_overhead_processes)                                                                          \
    X(double, EMPI_GLOBAL_lastoverhead_processes)                                                                      \
    X(double, EMPI_GLOBAL_overhead_rdata)                                                                              \
    X(double, EMPI_GLOBAL_lastoverhead_rdata)                                                                          \
    X(double, EMPI_GLOBAL_overhead_aux)                                                                                \
    X(long long *, EMPI_GLOBAL_track_flops)                                                                            \
    X(long long *, EMPI_GLOBAL_track_rtime)                                                                            \
    X(int, EMPI_GLOBAL_Adaptability_policy)                                                                            \
    X(int, EMPI_GLOBAL_PAPI_numevents)                                                                                 \
    X(double, EMPI_GLOBAL_ENERGY_aggregated_final)                                                                     \
    X(double, EMPI_GLOBAL_ENERGY_aggregated_start)                                                                     \
    X(double, EMPI_GLOBAL_ENERGY_aggregated_init)                                                                      \
    X(double, EMPI_GLOBAL_ENERGY_aggregated_end)                                                                       \
    X(double, EMPI_GLOBAL_ENERGY_aggregated_elapsed)                                                                   \
    X(double, EMPI_GLOBAL_ENERGY_aggregated_elapsed_final)                                                             \
    X(double, EMPI_GLOBAL_ENERGY_aggregated_power)                                                                     \
    X(double, EMPI_GLOBAL_ENERGY_aggregated_power_final)                                                               \
    X(double *, EMPI_GLOBAL_power_monitoring_data)                                                                     \
    X(int, EMPI_GLOBAL_debug_comms)                                                                                    \
    X(int, EMPI_GLOBAL_energy_rank)                                                                                    \
    X(int, EMPI_GLOBAL_nhosts_aux)                                                                                     \
    X(int, EMPI_GLOBAL_energy_eficiency_op_mode)                                                                       \
    X(int, EMPI_GLOBAL_non_exclusive)                                                                                  \
    X(long long, EMPI_GLOBAL_PAPI_flops_iteration)                                                                     \
    X(long long, EMPI_GLOBAL_PAPI_it_time)                                                                             \
    X(long long, EMPI_GLOBAL_PAPI_real_flops_iteration)                                                                \
    X(int, EMPI_GLOBAL_flag_dynamic)                                                                                   \
    X(int, EMPI_GLOBAL_flag_enter)                                                                                     \
    X(int, EMPI_GLOBAL_PAPI_eventSet_energy)                                                                           \
    X(int, EMPI_GLOBAL_posteractive)                                                                                   \
    X(int, EMPI_array_alloc)

/** X(type, name, dimensions) for each. */
#define NEREUS_EMPI_FIELDS(X)                                                                                          \
    X(char, EMPI_GLOBAL_hclasses, [100][128])                                                                          \
    X(char, EMPI_GLOBAL_controller, [512])                                                                             \
    X(char, EMPI_GLOBAL_application, [512])                                                                            \
    X(int, EMPI_GLOBAL_listrm, [100])                                                                                  \
    X(int, EMPI_GLOBAL_nprocs_class, [100][10])                                                                        \
    X(char, EMPI_GLOBAL_PAPI_nhwpc_1, [32])                                                                            \
    X(char, EMPI_GLOBAL_PAPI_nhwpc_2, [32])                                                                            \
    X(double, EMPI_GLOBAL_ENERGY_monitoring_temp, [4])                                                                 \
    X(char, EMPI_GLOBAL_host_name, [MPI_MAX_PROCESSOR_NAME])                                                           \
    X(int, EMPI_GLOBAL_corebindlist, [100][32])

#define NEREUS_EMPI_DECLARED(type, name) NEREUS_COMPAT_API extern type name;
#define NEREUS_EMPI_DECLARED_FIELD(type, name, dimensions) NEREUS_COMPAT_API extern type name dimensions;
NEREUS_EMPI_VARIABLES(NEREUS_EMPI_DECLARED)
NEREUS_EMPI_FIELDS(NEREUS_EMPI_DECLARED_FIELD)
#undef NEREUS_EMPI_DECLARED
#undef NEREUS_EMPI_DECLARED_FIELD

#endif
